//! Values that are read back unchanged from records that fail.

use super::faulty::FaultyRecords;
use super::*;

const HOUR: Duration = Duration::from_hours(1);

fn shelves(records: &FaultyRecords) -> Shelves {
    let shelves = Shelves::new(Arc::new(records.clone()), "notes");
    shelves.sealed(Some(&Keys::new([1; 32])))
}

#[tokio::test]
async fn values_of_any_size_come_back_from_records_of_one() {
    let records = FaultyRecords::default();
    let shelves = shelves(&records).limited(1 << 10);
    let key = ShelfKey::new("tasks", "a name");
    let (mut over, mut most) = (None, 0);
    for length in [0, 1, 960, 961, 1920, 1921, 100_000] {
        let value = Bytes::from(vec![b'x'; length]);
        let put = shelves.put(&key, value.clone(), over, HOUR).await.unwrap();
        assert!(put > over);
        over = put;
        let read = shelves.get(&key).await.unwrap().unwrap();
        assert_eq!((read.value, Some(read.version)), (value, over));
        let stored = records.stored.lock();
        let lengths = stored.values().map(|record| record.value.len());
        most = lengths.max().unwrap();
        assert!(most <= 1 << 10, "{most}");
    }
    assert!(most > 1_000, "parts are as large as they can be");
}

#[tokio::test]
async fn the_store_learns_neither_names_nor_values_and_can_move_nothing() {
    let records = FaultyRecords::default();
    let [one, other] = ["a name", "another"].map(|name| ShelfKey::new("tasks", name));
    let value = Bytes::from_static(b"a secret");
    let mine = shelves(&records);
    mine.put(&one, value, None, HOUR).await.unwrap();
    let (key, record) = records.only("tasks.");
    assert!(!key.contains("name"));
    assert!(!record.value.windows(6).any(|part| part == b"secret"));

    records.stored.lock().insert(other.0.clone(), record);
    assert!(mine.get(&other).await.is_err());
    let records: Arc<dyn ErasedRecords> = Arc::new(records);
    let strangers = [
        Shelves::new(Arc::clone(&records), "notes").sealed(Some(&Keys::new([2; 32]))),
        Shelves::new(records, "others").sealed(Some(&Keys::new([1; 32]))),
    ];
    for stranger in strangers {
        assert!(stranger.get(&one).await.is_err());
    }
}

#[tokio::test]
async fn a_write_in_doubt_is_settled_by_reading() {
    let (refused, undone, done, late) = (0, 3, 6, 9);
    let cases = [
        (vec![undone], Ok(true), true),
        (vec![done], Ok(true), true),
        (vec![late], Ok(true), true),
        (vec![late, 12, undone, 12, 12], Ok(true), true),
        (vec![undone, 12, undone, 12, undone], Err(()), false),
        (
            vec![done, refused, undone, refused, undone, refused],
            Err(()),
            true,
        ),
        (vec![refused], Err(()), false),
    ];
    for (mut faults, expected, is_there) in cases {
        let records = FaultyRecords::default();
        let shelves = shelves(&records);
        let key = ShelfKey::new("tasks", "a");
        let case = format!("{faults:?}");
        faults.reverse();
        records.fail(faults);
        let [one, two] = ["1", "2"].map(Bytes::from);
        let put = shelves.put(&key, one, None, HOUR).await;
        let put = put.map(|version| version.is_some()).map_err(drop);
        assert_eq!(put, expected, "{case}");
        records.mend().await;
        // Writes again, and expects that there is no value yet.
        let again = shelves.put(&key, two, None, HOUR).await;
        assert_eq!(again.unwrap().is_none(), is_there, "{case}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_value_comes_back_even_if_the_engine_takes_more_from_its_second_part_on() {
    let part = plainly_cluster::InProcess::new().replica();
    let engine: Arc<dyn ErasedEngine> = Arc::new(part.clone());
    let records = Arc::<dyn ErasedEngine>::clone(&engine);
    let shelves = Shelves::new(records, "notes").within(Some(engine));
    let limit = |most| part.fail(|faults| faults.max_value = most);
    limit(1 << 10);
    part.fail(|faults| faults.delay = Duration::from_secs(1));
    let (key, value) = (ShelfKey::new("tasks", "a"), Bytes::from(vec![b'x'; 10_000]));
    let (put, ()) = tokio::join!(shelves.put(&key, value.clone(), None, HOUR), async {
        tokio::time::sleep(Duration::from_millis(1_500)).await;
        limit(4 << 10);
    });
    put.unwrap().unwrap();
    assert_eq!(shelves.get(&key).await.unwrap().unwrap().value, value);
}

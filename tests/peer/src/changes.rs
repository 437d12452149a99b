//! Values for comparing a schema with a type.

use serde_json::{Value, json};

/// All variants of the value with one change, at any depth.
pub fn changed(value: &Value) -> Vec<Value> {
    let others = [
        json!(null),
        json!(5),
        json!("x"),
        json!(true),
        json!([]),
        json!([null]),
        json!({}),
    ];
    let mut all = others.to_vec();
    let within = |inside: &Value, put: &dyn Fn(Value) -> Value| {
        changed(inside).into_iter().map(put).collect::<Vec<_>>()
    };
    match value {
        Value::Object(members) => {
            for (name, inside) in members {
                let mut without = members.clone();
                without.remove(name);
                all.push(without.into());
                all.extend(within(inside, &|changed| {
                    let mut members = members.clone();
                    members.insert(name.clone(), changed);
                    members.into()
                }));
            }
        }
        Value::Array(items) => {
            for (at, inside) in items.iter().enumerate() {
                all.extend(within(inside, &|changed| {
                    let mut items = items.clone();
                    items[at] = changed;
                    items.into()
                }));
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
    all
}

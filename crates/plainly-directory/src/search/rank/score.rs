//! Scores the relevance of each section to a question: by BM25 over the terms of the section, of
//! the headings above it and of the name, and by the share of the question's terms that it
//! contains.

use std::cmp::Ordering;

use super::terms::{Question, Term};
use super::text::{RankedText, TermCount, TermPlace, TermPlaces, WHOLE};

/// The parameters of BM25: the saturation of repeated terms, and the influence of the length.
const K1: f32 = 1.2;
const B: f32 = 0.6;

/// The weight of a term in each place. A term in one line of a section of average length has weight
/// 1.
const PLACES: [(TermPlace, f32); 6] = [
    (TermPlace::Heading, 2.5),
    (TermPlace::HeadingAbove, 1.0),
    (TermPlace::Title, 1.0),
    (TermPlace::Lead, 1.0),
    (TermPlace::Name, 0.7),
    (TermPlace::Directory, 0.3),
];

/// The maximum number of sections found in one text.
const OF_ONE: usize = 3;

/// A found section; the whole text if it has no sections.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::search) struct Ranked {
    /// The index of the text.
    pub(in crate::search) text: usize,
    pub(in crate::search) section: usize,
    score: f32,
}

/// The sections of the texts that are relevant to the question, best first, at most `limit`.
pub(in crate::search) fn rank(
    question: &Question,
    texts: &[&RankedText],
    limit: usize,
) -> Vec<Ranked> {
    let mut hits = Vec::new();
    let mut sections = vec![0; question.terms.len()];
    for (index, text) in texts.iter().enumerate() {
        for ((which, term), sections) in question.terms.iter().enumerate().zip(&mut sections) {
            let counts = of(*term, text);
            *sections += counts.len();
            hits.extend(counts.iter().map(|count| TermHit {
                text: index,
                section: count.section,
                which,
                places: count.places,
            }));
        }
    }
    let weights = Weights::new(texts, &sections);
    let mut ranked = Vec::new();
    for hits in hits.chunk_by_mut(|a, b| a.text == b.text) {
        if let Some(text) = hits.first().and_then(|hit| texts.get(hit.text)) {
            weights.score(text, hits, &mut ranked);
        }
    }
    ranked.sort_by(Ranked::order);
    several(ranked, limit)
}

/// A term in a section.
struct TermHit {
    text: usize,
    section: u16,
    /// The index of the term in the question.
    which: usize,
    places: TermPlaces,
}

/// The counts of a term in a text.
fn of(term: Term, text: &RankedText) -> &[TermCount] {
    let start = text.counts.partition_point(|count| count.term < term);
    let from = text.counts.get(start..).unwrap_or_default();
    let length = from.partition_point(|count| count.term == term);
    from.get(..length).unwrap_or_default()
}

/// The weights of a question's terms. Rare terms weigh more.
struct Weights {
    terms: Vec<f32>,
    all: f32,
    /// The average number of words in a section.
    words: f32,
}

impl Weights {
    /// Computes the weights. `sections` has, for each term, the number of sections that contain it.
    fn new(texts: &[&RankedText], sections: &[usize]) -> Self {
        let of_all = || texts.iter().flat_map(|text| &text.sections);
        let count = (of_all().count().max(texts.len()).max(1)) as f32;
        let words: u64 = of_all().map(|section| u64::from(section.words)).sum();
        let weight = |with: &usize| {
            let with = (*with as f32).min(count);
            (1.0 + (count - with + 0.5) / (with + 0.5)).ln()
        };
        let terms: Vec<f32> = sections.iter().map(weight).collect();
        let known = terms
            .iter()
            .zip(sections)
            .filter(|(_, sections)| **sections > 0);
        Self {
            all: known.map(|(weight, _)| weight).sum(),
            words: (words as f32 / count).max(1.0),
            terms,
        }
    }

    /// Scores the sections of one text that contain any term. If only the name contains one, scores
    /// the first section.
    fn score(&self, text: &RankedText, hits: &mut [TermHit], ranked: &mut Vec<Ranked>) {
        hits.sort_by_key(|hit| hit.section);
        let own = hits.partition_point(|hit| hit.section != WHOLE);
        let (own, whole) = hits.split_at(own);
        let index = hits.first().map_or(0, |hit| hit.text);
        let mut score = |section: usize, own: &[TermHit]| {
            let words = text
                .section(section)
                .map_or(self.words, |section| section.words as f32);
            ranked.push(Ranked {
                text: index,
                section,
                score: self.sum(own, whole, words),
            });
        };
        for hits in own.chunk_by(|a, b| a.section == b.section) {
            let section = hits.first().map_or(0, |hit| hit.section);
            score(section.into(), hits);
        }
        if own.is_empty() {
            score(0, own);
        }
    }

    fn sum(&self, own: &[TermHit], whole: &[TermHit], words: f32) -> f32 {
        let length = 1.0 - B + B * words / self.words;
        let mut sum = 0.0;
        let mut found = 0.0;
        for (which, weight) in self.terms.iter().enumerate() {
            let hits = own.iter().chain(whole).filter(|hit| hit.which == which);
            let Some(places) = hits.map(|hit| hit.places).reduce(TermPlaces::and) else {
                continue;
            };
            let lines = f32::from(places.lines);
            let others = PLACES.iter().filter(|(place, _)| places.has(*place));
            let others: f32 = others.map(|(_, weight)| weight).sum();
            sum += weight * (lines * (K1 + 1.0) / (lines + K1 * length) + others);
            found += weight;
        }
        sum * found / self.all
    }
}

impl Ranked {
    fn order(&self, other: &Self) -> Ordering {
        let score = other.score.total_cmp(&self.score);
        score.then_with(|| (self.text, self.section).cmp(&(other.text, other.section)))
    }
}

/// The best sections, at most three for each text.
fn several(ranked: Vec<Ranked>, limit: usize) -> Vec<Ranked> {
    let mut found: Vec<Ranked> = Vec::new();
    for one in ranked {
        if found.len() == limit {
            break;
        }
        if found.iter().filter(|known| known.text == one.text).count() < OF_ONE {
            found.push(one);
        }
    }
    found
}

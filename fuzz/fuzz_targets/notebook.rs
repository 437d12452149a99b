//! Notebooks with any text in their cells, and bytes as a notebook. The converted text must be
//! limited, and code must end with its fence.

#![no_main]

use libfuzzer_sys::arbitrary::{self, Arbitrary};
use libfuzzer_sys::fuzz_target;
use plainly_convert::Notebook;
use plainly_fuzz::converted;
use serde_json::json;

const TYPE: &str = "application/x-ipynb+json";

#[derive(Arbitrary, Debug)]
struct Input<'a> {
    room: u8,
    language: &'a str,
    code: Vec<&'a str>,
    output: &'a str,
    bytes: &'a [u8],
}

fuzz_target!(|input: Input<'_>| {
    let room = usize::from(input.room) << 8;
    converted(&Notebook::new(), TYPE, input.bytes, room);
    let notebook = json!({
        "nbformat": 4,
        "metadata": { "kernelspec": { "language": input.language } },
        "cells": [{ "cell_type": "code", "source": input.code, "outputs": [
            { "output_type": "stream", "text": input.output },
            { "output_type": "error", "ename": input.language, "traceback": input.code },
            { "output_type": "display_data", "data": { "text/plain": input.output, "image/png": input.output } },
        ] }],
    });
    let text = converted(
        &Notebook::new(),
        TYPE,
        notebook.to_string().as_bytes(),
        room,
    );
    for line in text.iter().flat_map(|text| text.lines().next()) {
        assert!(line.starts_with("```") || line == "[image/png]", "{line}");
    }
});

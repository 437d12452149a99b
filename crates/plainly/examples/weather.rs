//! The weather as structured output: the model reads text, and the host's code reads the fields
//! that the tool's output schema promises. Errors about invalid arguments say what would be valid.

use std::collections::BTreeMap;
use std::error::Error;

use plainly::errors::Problem;
use plainly::server::BuildErrors;
use plainly::{Args, Json, Server, State, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The degrees Celsius and the sky of each place.
#[derive(Clone, Debug)]
struct Almanac(BTreeMap<&'static str, (f64, Sky)>);

#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Sky {
    Clear,
    Cloudy,
    Rain,
}

#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Unit {
    #[default]
    Celsius,
    Fahrenheit,
}

#[derive(Deserialize, JsonSchema)]
struct AnsweredRequest {
    /// The place, such as `Oslo`.
    place: String,
    /// The number of days from today.
    #[schemars(range(max = 7))]
    #[serde(default)]
    day: u8,
    #[serde(default)]
    unit: Unit,
}

/// The weather of one day.
#[derive(Serialize, JsonSchema)]
struct Weather {
    place: String,
    day: u8,
    temperature: f64,
    unit: Unit,
    sky: Sky,
}

async fn weather(
    State(Almanac(places)): State<Almanac>,
    Args(AnsweredRequest { place, day, unit }): Args<AnsweredRequest>,
) -> Result<Json<Weather>, Problem> {
    let Some(&(celsius, sky)) = places.get(place.as_str()) else {
        let known: Vec<_> = places.keys().copied().collect();
        let hint = format!("Known places: {}", known.join(", "));
        return Err(Problem::not_found("place", &place).suggest(hint));
    };
    let celsius = celsius - f64::from(day);
    let temperature = match unit {
        Unit::Celsius => celsius,
        Unit::Fahrenheit => celsius * 1.8 + 32.0,
    };
    Ok(Json(Weather {
        place,
        day,
        temperature,
        unit,
        sky,
    }))
}

/// Builds the server, which is the same for every client.
pub(crate) fn server() -> Result<Server, BuildErrors> {
    let places = [
        ("Lima", (19.0, Sky::Cloudy)),
        ("Oslo", (4.0, Sky::Rain)),
        ("Perth", (31.5, Sky::Clear)),
    ];
    let weather = Tool::new("weather", weather)
        .title("Weather")
        .description("The weather of a place, today or up to seven days ahead")
        .read_only();
    Server::builder("weather", env!("CARGO_PKG_VERSION"))
        .state(Almanac(BTreeMap::from(places)))
        .tool(weather)
        .build()
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    Ok(server()?.serve_stdio().await?)
}

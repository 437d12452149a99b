//! A page for the results of a tool (MCP Apps): hosts with apps show the forecast as a chart, and
//! other hosts show the text. The page is `app.html`, beside this file.

use std::collections::BTreeMap;
use std::error::Error;

use plainly::errors::Problem;
use plainly::server::BuildErrors;
use plainly::{App, Args, Json, Server, State, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

const PAGE: &str = "ui://forecast/chart";
const DAYS: [&str; 7] = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];

/// The temperatures of each place, day by day, in degrees Celsius.
#[derive(Clone, Debug)]
struct Almanac(BTreeMap<&'static str, [f64; 7]>);

#[derive(Deserialize, JsonSchema)]
struct ForecastRequest {
    /// The place, such as `Oslo`.
    place: String,
}

/// The forecast of a week, and the places that have one.
#[derive(Serialize, JsonSchema)]
struct Forecast {
    place: String,
    days: Vec<Day>,
    places: Vec<&'static str>,
}

#[derive(Serialize, JsonSchema)]
struct Day {
    day: &'static str,
    celsius: f64,
}

async fn forecast(
    State(Almanac(known)): State<Almanac>,
    Args(ForecastRequest { place }): Args<ForecastRequest>,
) -> Result<Json<Forecast>, Problem> {
    let places: Vec<_> = known.keys().copied().collect();
    let Some(temperatures) = known.get(place.as_str()) else {
        let hint = format!("Known places: {}", places.join(", "));
        return Err(Problem::not_found("place", &place).suggest(hint));
    };
    let days = DAYS.into_iter().zip(temperatures);
    let days = days.map(|(day, &celsius)| Day { day, celsius }).collect();
    Ok(Json(Forecast {
        place,
        days,
        places,
    }))
}

/// Builds the server, which is the same for every client.
pub(crate) fn server() -> Result<Server, BuildErrors> {
    let places = [
        ("Lima", [19.0, 19.5, 20.0, 20.0, 19.0, 18.5, 19.0]),
        ("Oslo", [4.0, 1.5, -2.0, -3.5, -1.0, 2.0, 3.0]),
        ("Perth", [31.5, 33.0, 34.0, 30.0, 28.5, 29.0, 32.0]),
    ];
    let page = App::new(PAGE, include_str!("app.html")).title("Chart of a forecast");
    let forecast = Tool::new("forecast", forecast)
        .title("Forecast")
        .description("The temperatures of a place, for a week")
        .read_only()
        .app(PAGE);
    Server::builder("forecast", env!("CARGO_PKG_VERSION"))
        .state(Almanac(BTreeMap::from(places)))
        .app(page)
        .tool(forecast)
        .build()
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    Ok(server()?.serve_stdio().await?)
}

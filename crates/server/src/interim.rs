//! Until the engine is there.

use serde_json::Value;
use whittle_analysis::{Format, Fragment, Profile, Query, Style, ViewMode, render};

/// The engine's answer.
pub(crate) enum Answer {
    Json(String),
    #[allow(dead_code, reason = "the engine has it")]
    Binary(Vec<u8>),
}

pub(crate) fn answer(profile: &Profile, request: &str) -> Result<Answer, String> {
    let request: Value = serde_json::from_str(request).map_err(|error| error.to_string())?;
    let mode = request["mode"].as_str().unwrap_or("user").parse::<ViewMode>().map_err(|error| error.to_string())?;
    let query = Query { mode, filter: None, metrics: None, sort: None, limit: Some(200) };
    let style = Style { is_coloured: false };
    let text = |error: whittle_analysis::AnalysisError| error.to_string();
    let json = match request["view"].as_str() {
        Some("overview") => render(&profile.overview(&query).map_err(text)?, Format::Json, style),
        Some("functions") => render(&profile.functions(&query).map_err(text)?, Format::Json, style),
        Some("threads") => render(&profile.threads(&query).map_err(text)?, Format::Json, style),
        Some("callers-callees") => {
            render(&profile.callers_callees(&query, &Fragment::total()).map_err(text)?, Format::Json, style)
        }
        _ => return Err("unknown view".to_owned()),
    };
    Ok(Answer::Json(json))
}

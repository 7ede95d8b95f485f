//! Settings of runs as options of the command line: the same names as in `[simulation]`.

use crate::error::Error;
use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgMatches};
use holonom::format::{SETTINGS, SettingInfo, SettingKind, SettingValue, Settings};
use holonom::multibody::expression::{Dimension, Expression, Scope};

/// Adds the settings that `wanted` picks.
pub fn arguments(command: clap::Command, wanted: fn(&str) -> bool) -> clap::Command {
    let infos = SETTINGS.iter().filter(|info| wanted(info.name));
    command.args(infos.map(argument))
}

fn argument(info: &'static SettingInfo) -> Arg {
    let arg = Arg::new(info.name)
        .long(info.name.replace('_', "-"))
        .help(info.doc.trim_end_matches('.'))
        .allow_negative_numbers(true)
        .help_heading("Settings (as in [simulation] of models; strategies are described by `holonom list`)");
    // The one setting that is also typed by its short name.
    let arg = match info.name {
        "fixed_step" => arg.visible_alias("step"),
        _ => arg,
    };
    match info.kind {
        SettingKind::Number("") => arg.value_name("NUMBER"),
        SettingKind::Number(unit) => arg.value_name(match unit {
            "s" => "SECONDS",
            _ => "NUMBER",
        }),
        SettingKind::Count => arg.value_name("N").value_parser(clap::value_parser!(u64)),
        SettingKind::Flag => arg
            .value_name("true|false")
            .value_parser(clap::value_parser!(bool)),
        SettingKind::Choice(names) => arg
            .value_name("NAME")
            .value_parser(PossibleValuesParser::new(names())),
        SettingKind::Names(_) => arg.value_name("NAME,…"),
    }
}

/// The settings that were typed.
pub fn typed(matches: &ArgMatches) -> Result<Settings, Error> {
    let mut settings = Settings::default();
    for info in SETTINGS {
        let value = match info.kind {
            SettingKind::Number(unit) => match text(matches, info.name) {
                Some(typed) => Some(SettingValue::Number(number(info.name, typed, unit)?)),
                None => None,
            },
            SettingKind::Count => get(matches, info.name).map(SettingValue::Count),
            SettingKind::Flag => get(matches, info.name).map(SettingValue::Flag),
            SettingKind::Choice(_) => text(matches, info.name).map(|name| SettingValue::Name(name.clone())),
            SettingKind::Names(_) => text(matches, info.name).map(|names| {
                SettingValue::Names(names.split(',').map(|name| name.trim().to_string()).collect())
            }),
        };
        if let Some(value) = value {
            settings.set(info.name, value);
        }
    }
    Ok(settings)
}

fn get<T: Clone + Send + Sync + 'static>(matches: &ArgMatches, name: &str) -> Option<T> {
    matches.try_get_one::<T>(name).ok().flatten().cloned()
}

fn text<'m>(matches: &'m ArgMatches, name: &str) -> Option<&'m String> {
    matches.try_get_one::<String>(name).ok().flatten()
}

/// A number with or without unit, such as `1e-6` or `5 ms`.
pub fn number(name: &str, typed: &str, unit: &str) -> Result<f64, Error> {
    constant(name, typed, Dimension::parse(unit).ok())
}

/// A number of any unit, in SI.
pub fn quantity(name: &str, typed: &str) -> Result<f64, Error> {
    constant(name, typed, None)
}

fn constant(name: &str, typed: &str, expected: Option<Dimension>) -> Result<f64, Error> {
    let bad = |reason: String| {
        let option = name.replace('_', "-");
        Error::Usage(format!("--{option} {typed}: {reason}"))
    };
    let expression = Expression::parse(typed, &Scope::new(), expected).map_err(|errors| {
        let reasons: Vec<String> = errors.iter().map(ToString::to_string).collect();
        bad(reasons.join("; "))
    })?;
    expression
        .value()
        .ok_or_else(|| bad("it is not a constant number".to_string()))
}

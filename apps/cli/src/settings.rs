//! Settings of runs as options of the command line: the same names as in `[simulation]`.

use crate::error::Error;
use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgMatches};
use holonom::expression::{Dimension, Expression, Scope};
use holonom::format::{SETTINGS, SettingInfo, SettingKind, SettingValue, Settings};

/// Adds the settings that `wanted` picks.
pub fn arguments(command: clap::Command, wanted: fn(&str) -> bool) -> clap::Command {
    let infos = SETTINGS.iter().filter(|info| wanted(info.name));
    command.args(infos.map(argument))
}

fn argument(info: &'static SettingInfo) -> Arg {
    let arg = Arg::new(info.name)
        .long(info.name.replace('_', "-"))
        .help(info.help().trim_end_matches('.').to_string())
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
    for info in SETTINGS.iter() {
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
    let dimension = match unit {
        "" => Some(Dimension::NONE),
        unit => Dimension::parse(unit).ok(),
    };
    constant(name, typed, dimension)
}

/// A number of any unit, in SI.
pub fn quantity(name: &str, typed: &str) -> Result<f64, Error> {
    constant(name, typed, None)
}

/// The two ends of a range, in SI; both of one quantity.
pub fn range(name: &str, [from, to]: [&str; 2]) -> Result<[f64; 2], Error> {
    let ends = [parsed(name, from, None)?, parsed(name, to, None)?];
    if let [Some(a), Some(b)] = [&ends[0], &ends[1]].map(|end| end.dimension().known())
        && a != b
    {
        let option = name.replace('_', "-");
        let (a, b) = (a.describe(), b.describe());
        return Err(Error::Usage(format!(
            "--{option}: `{}` is {a}, `{}` is {b}; give both ends in the same unit",
            from.trim(),
            to.trim()
        )));
    }
    Ok([value(name, from, &ends[0])?, value(name, to, &ends[1])?])
}

fn constant(name: &str, typed: &str, expected: Option<Dimension>) -> Result<f64, Error> {
    value(name, typed, &parsed(name, typed, expected)?)
}

fn value(name: &str, typed: &str, expression: &Expression) -> Result<f64, Error> {
    let option = name.replace('_', "-");
    let bad = || Error::Usage(format!("--{option} {typed}: it is not a constant number"));
    expression.value().ok_or_else(bad)
}

fn parsed(name: &str, typed: &str, expected: Option<Dimension>) -> Result<Expression, Error> {
    let bad = |reason: String| {
        let option = name.replace('_', "-");
        Error::Usage(format!("--{option} {typed}: {reason}"))
    };
    Expression::parse(typed, &Scope::new(), expected).map_err(|errors| {
        let reasons: Vec<String> = errors.iter().map(ToString::to_string).collect();
        bad(reasons.join("; "))
    })
}

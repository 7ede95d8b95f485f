//! Pictures of what force elements do, and of what they act on.

use crate::error::Error;
use crate::output;
use holonom::multibody::elements::forces::FORCES;
use holonom_models::pictures::{Characteristic, characteristics, geometry};
use holonom_plot::{Figure, Panel, Series};
use std::path::Path;

/// Draws the characteristics of the force element with a name, or `wheel-rail`, `track`, `road`, `path`
/// or `control`, or all, into a folder: a file `NAME.svg` each. Gives the files, one in a line.
pub fn draw(name: Option<&str>, folder: &Path) -> Result<String, Error> {
    let is_chosen = |other: &str| name.is_none_or(|name| name == other);
    let forces = FORCES
        .iter()
        .filter(|info| is_chosen(info.name))
        .map(|info| (info.name, characteristics(info.name)));
    let others = geometry().into_iter().filter(|(name, _)| is_chosen(name));
    let figures: Vec<(&str, Figure)> = forces
        .chain(others)
        .filter(|(_, characteristics)| !characteristics.is_empty())
        .map(|(name, characteristics)| {
            let panels = characteristics.into_iter().map(panel).collect();
            (name, Figure::new(name, panels))
        })
        .collect();
    if let (Some(name), true) = (name, figures.is_empty()) {
        return Err(Error::Usage(format!(
            "`{name}` has no characteristic to plot; `holonom list` shows the force elements; `wheel-rail`, \
             `track`, `road`, `path` and `control` can also be plotted"
        )));
    }
    output::make_folder(folder)?;
    let mut files = String::new();
    for (name, figure) in figures {
        let file = folder.join(format!("{name}.svg"));
        output::write(&file, figure.svg())?;
        files += &format!("{}\n", file.display());
    }
    Ok(files)
}

fn panel(characteristic: Characteristic) -> Panel {
    let label = |[name, unit]: [&str; 2]| format!("{name} / {unit}");
    let mut panel = Panel::new(label(characteristic.x), label(characteristic.y));
    panel.title = characteristic.title.to_string();
    panel.series = (characteristic.curves.into_iter())
        .map(|curve| Series::new(curve.label, curve.x, curve.y))
        .collect();
    panel
}

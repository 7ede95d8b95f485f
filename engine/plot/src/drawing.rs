//! Figures as files.

use crate::canvas::Canvas;
use crate::error::Error;
use crate::figure::Figure;
use crate::layout::Layout;
use crate::raster::Raster;
use crate::svg::Svg;

impl Figure {
    /// The figure as an SVG file.
    pub fn svg(&self) -> String {
        let (w, h) = self.size();
        let mut svg = Svg::new(w, h, &self.name());
        self.draw(&mut svg);
        svg.finish()
    }

    /// The figure as a PNG file with `scale` pixels per unit of length.
    pub fn png(&self, scale: f64) -> Result<Vec<u8>, Error> {
        let (w, h) = self.size();
        let mut raster = Raster::new(w, h, scale)?;
        self.draw(&mut raster);
        raster.finish()
    }

    fn draw(&self, canvas: &mut dyn Canvas) {
        Layout::new(self).draw(canvas);
    }
}

//! The picture: time and memory of a launch over the number of threads, and rates of memory operations.

use std::path::Path;

use plotters::coord::combinators::LogCoord;
use plotters::prelude::*;

use crate::case::{Case, Kernel, Mode, Outcome};

type Drawn = Result<(), Box<dyn std::error::Error>>;
type Area<'a> = DrawingArea<SVGBackend<'a>, plotters::coord::Shift>;
type LogChart<'a, 'b> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<LogCoord<f64>, LogCoord<f64>>>;

const SERIES: [(Kernel, Mode, &str, RGBColor); 4] = [
    (Kernel::PutSignal, Mode::Functional, "put_signal, functional", RGBColor(86, 180, 233)),
    (Kernel::PutSignal, Mode::Weak, "put_signal, weak", RGBColor(0, 80, 150)),
    (Kernel::AllReduce, Mode::Functional, "all-reduce, functional", RGBColor(240, 170, 60)),
    (Kernel::AllReduce, Mode::Weak, "all-reduce, weak", RGBColor(190, 60, 20)),
];

const GREY: RGBColor = RGBColor(120, 120, 120);
const TEXT: (&str, u32) = ("sans-serif", 15);
const CAPTION: (&str, u32) = ("sans-serif", 18);

/// Numbers of an axis: powers of ten with their digits, counts with a letter.
fn short(value: &f64) -> String {
    match *value {
        v if v >= 1e6 => format!("{}M", v / 1e6),
        v if v >= 1e3 => format!("{}k", v / 1e3),
        v if v >= 1.0 => format!("{v:.0}"),
        v => format!("{v}"),
    }
}

/// Draws everything into one file.
pub(crate) fn draw(path: &Path, growth: &[(Case, Outcome)], rates: &[(Case, Outcome)]) -> Drawn {
    let root = SVGBackend::new(path, (1500, 560)).into_drawing_area();
    root.fill(&WHITE)?;
    let panels = root.split_evenly((1, 3));
    let most = growth.iter().map(|(c, _)| c.threads()).max().unwrap_or(1000) as f64;
    let pes = growth.iter().map(|(c, _)| c.pes).max().unwrap_or(1);
    let seconds = |o: &Outcome| o.seconds();
    let memory = |o: &Outcome| (o.peak as f64) / 1e9;
    over_threads(&panels[0], "Processor seconds of a launch", growth, (most, pes), (1e-4, 1e4), &seconds, None)?;
    let limit = Some((4.0, "4 GB"));
    over_threads(&panels[1], "Most memory of the process, GB", growth, (most, pes), (0.04, 20.0), &memory, limit)?;
    bars(&panels[2], rates)?;
    root.present()?;
    Ok(())
}

/// One panel over the number of threads of all PEs: a line for the most PEs, marks for fewer.
fn over_threads(
    area: &Area<'_>,
    caption: &str,
    growth: &[(Case, Outcome)],
    (most, pes): (f64, u32),
    (low, high): (f64, f64),
    value: &dyn Fn(&Outcome) -> f64,
    limit: Option<(f64, &str)>,
) -> Drawn {
    let mut chart: LogChart<'_, '_> = ChartBuilder::on(area)
        .caption(caption, CAPTION)
        .margin(14)
        .x_label_area_size(46)
        .y_label_area_size(52)
        .build_cartesian_2d((200.0..most * 1.5).log_scale(), (low..high).log_scale())?;
    chart
        .configure_mesh()
        .light_line_style(WHITE)
        .label_style(TEXT)
        .x_desc(format!("threads of all PEs (line: {pes} PEs; circles: fewer)"))
        .x_label_formatter(&short)
        .y_label_formatter(&short)
        .draw()?;
    if let Some((at, name)) = limit {
        chart.draw_series(DashedLineSeries::new([(200.0, at), (most * 1.5, at)], 6, 4, GREY.stroke_width(1)))?;
        chart.draw_series([Text::new(name.to_owned(), (most * 0.8, at * 1.22), TEXT.into_font().color(&GREY))])?;
    }
    for (kernel, mode, name, colour) in SERIES {
        let of = |wanted: &dyn Fn(&Case) -> bool| -> Vec<(f64, f64)> {
            let fits = growth.iter().filter(|(c, _)| c.kernel == kernel && c.mode == mode && wanted(c));
            let mut points: Vec<_> = fits.map(|(c, o)| (c.threads() as f64, value(o).max(low))).collect();
            points.sort_by(|a, b| a.0.total_cmp(&b.0));
            points
        };
        let line = of(&|c| c.pes == pes);
        chart
            .draw_series(LineSeries::new(line.clone(), colour.stroke_width(2)))?
            .label(name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 18, y)], colour.stroke_width(3)));
        chart.draw_series(line.into_iter().map(|p| Circle::new(p, 3, colour.filled())))?;
        chart.draw_series(of(&|c| c.pes < pes).into_iter().map(|p| Circle::new(p, 3, colour.stroke_width(1))))?;
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperLeft)
        .margin(12)
        .legend_area_size(26)
        .label_font(TEXT)
        .background_style(WHITE.mix(0.85))
        .border_style(GREY)
        .draw()?;
    Ok(())
}

/// Rates of the loops: a pair of bars for each kernel.
fn bars(area: &Area<'_>, rates: &[(Case, Outcome)]) -> Drawn {
    let kernels = [
        (Kernel::OwnWords, "own words"),
        (Kernel::SharedWords, "words that 32 read"),
        (Kernel::OneEach, "one load, one store"),
    ];
    let mut chart = ChartBuilder::on(area)
        .caption("Million memory operations a second", CAPTION)
        .margin(14)
        .x_label_area_size(46)
        .y_label_area_size(52)
        .build_cartesian_2d(0.0f64..3.0, (1.0f64..1000.0).log_scale())?;
    chart
        .configure_mesh()
        .disable_x_mesh()
        .disable_x_axis()
        .light_line_style(WHITE)
        .label_style(TEXT)
        .y_label_formatter(&short)
        .draw()?;
    let modes = [(Mode::Functional, RGBColor(110, 110, 110)), (Mode::Weak, RGBColor(190, 60, 20))];
    for (index, (mode, colour)) in modes.into_iter().enumerate() {
        let mut shown = Vec::new();
        for (at, (kernel, _)) in kernels.iter().enumerate() {
            for (case, outcome) in rates.iter().filter(|(c, _)| c.kernel == *kernel && c.mode == mode) {
                let rate = case.operations() as f64 / outcome.seconds() / 1e6;
                shown.push((at as f64 + 0.16 + 0.34 * index as f64, rate));
            }
        }
        let rectangle = |&(x, rate): &(f64, f64)| Rectangle::new([(x, 1.0), (x + 0.32, rate)], colour.filled());
        chart
            .draw_series(shown.iter().map(rectangle))?
            .label(mode.name())
            .legend(move |(x, y)| Rectangle::new([(x, y - 5), (x + 18, y + 5)], colour.filled()));
        let number = |&(x, rate): &(f64, f64)| Text::new(format!("{rate:.1}"), (x + 0.06, rate * 1.16), TEXT);
        chart.draw_series(shown.iter().map(number))?;
    }
    chart.draw_series(DashedLineSeries::new([(0.0, 20.0), (3.0, 20.0)], 6, 4, GREY.stroke_width(1)))?;
    chart.draw_series([Text::new("20 million".to_owned(), (2.53, 23.5), TEXT.into_font().color(&GREY))])?;
    let bottom = chart.plotting_area().get_pixel_range();
    let width = (bottom.0.end - bottom.0.start) / 3;
    for (at, (_, name)) in (0..).zip(kernels) {
        let (left, top) = area.get_pixel_range_start();
        let place = (bottom.0.start - left + at * width + 12, bottom.1.end - top + 12);
        area.draw(&Text::new(name.to_owned(), place, TEXT.into_font()))?;
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperRight)
        .margin(12)
        .label_font(TEXT)
        .background_style(WHITE.mix(0.85))
        .border_style(GREY)
        .draw()?;
    Ok(())
}

/// Where an area begins, in pixels of the picture.
trait Start {
    fn get_pixel_range_start(&self) -> (i32, i32);
}

impl Start for Area<'_> {
    fn get_pixel_range_start(&self) -> (i32, i32) {
        let (x, y) = self.get_pixel_range();
        (x.start, y.start)
    }
}

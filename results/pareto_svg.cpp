#include <algorithm>
#include <array>

#include "results/colour_scale.h"
#include "results/pareto_plot.h"
#include "results/plot_panel.h"
#include "results/svg_text.h"

namespace paretrain::results {

namespace {

constexpr double kWidth = 1488;
constexpr double kTop = 112;                      // of the first row of plot areas
constexpr double kRowAdvance = kPanelSize + 106;  // from one row to the next
constexpr double kKeyLine = 20;
constexpr double kKeyRight = kWidth - 24;

constexpr std::array kProjections{Projection{0, 2, 1}, Projection{0, 1, 2}, Projection{1, 2, 0}};

constexpr std::string_view kStyle =
    "<style>"
    "text{font-family:'DejaVu Sans','Segoe UI',Helvetica,Arial,sans-serif}"
    ".title{font-size:18px;font-weight:600;fill:#111827}"
    ".subtitle{font-size:12.5px;fill:#5b6472}"
    ".area{fill:#fcfcfd;stroke:#d5d9e0}"
    ".grid{stroke:#e8ebf0;stroke-width:1}"
    ".tick{font-size:11px;fill:#4b5563}"
    ".axis{font-size:12px;fill:#111827}"
    ".plan{stroke:#fff;stroke-width:1}"
    ".dominated{fill:#c3c8d1;fill-opacity:.5}"
    ".baseline{stroke:#8b1e1e;stroke-opacity:.55;stroke-width:2;fill:none}"
    ".letter{font-size:11px;font-weight:600;fill:#8b1e1e}"
    ".name{font-size:11px;font-weight:600;fill:#111827}"
    ".knee{fill:none;stroke:#111827;stroke-width:1.8}"
    ".leader{stroke:#9aa2ae;stroke-width:.8}"
    ".budget{stroke:#b45309;stroke-width:1.2;stroke-dasharray:6 4}"
    ".limit{font-size:11px;fill:#b45309}"
    ".key{font-size:12px;fill:#374151}"
    "</style>\n";

// Entries in a row, broken into lines at the right edge.
class Key {
 public:
  explicit Key(double top) : y_(top) {}

  // `marker` is drawn around (0, 0); it takes `room` px.
  void add(const std::string& marker, double room, const std::string& text) {
    const std::string shown = shortened(text, 60);
    const double width = room + text_width(shown, 12) + 20;
    if (x_ + width > kKeyRight && x_ > kLeft) {
      x_ = kLeft;
      y_ += kKeyLine;
    }
    svg_ += "<g transform=\"translate(" + coordinate(x_) + " " + coordinate(y_) + ")\">" + marker +
            "<text x=\"" + coordinate(room) + "\" y=\"4\" class=\"key\">" + markup_text(shown) +
            "</text></g>\n";
    x_ += width;
  }

  [[nodiscard]] const std::string& svg() const { return svg_; }

  [[nodiscard]] double bottom() const { return y_ + kKeyLine; }

 private:
  static constexpr double kLeft = 32;
  std::string svg_;
  double x_ = kLeft;
  double y_;
};

Key key_of(const ParetoPlot& plot, double top) {
  Key key(top);
  for (std::size_t i = 0; i < plot.fronts.size(); ++i) {
    const bool is_only_one = plot.fronts.size() == 1;
    const std::string colour = is_only_one ? scale_colour(0.5) : series_colour(i);
    key.add("<circle r=\"4.5\" class=\"plan\" fill=\"" + colour + "\"/>", 10, plot.fronts[i].label);
  }
  if (plot.knee)
    key.add("<circle r=\"7\" class=\"knee\"/>", 13, "knee: nearest to the ideal point");
  if (!plot.dominated.empty())
    key.add("<circle r=\"2.5\" class=\"dominated\"/>", 9, "dominated plans");
  for (std::size_t i = 0; i < plot.baselines.size(); ++i) {
    const std::string letter = baseline_letter(i);
    key.add(
        "<path d=\"M-4 -4l8 8m0 -8l-8 8\" class=\"baseline\"/><text x=\"8\" y=\"4\" "
        "class=\"letter\">" +
            letter + "</text>",
        10 + text_width(letter, 12) + 3,
        plot.baselines[i].label);
  }
  return key;
}

std::string row_svg(const ParetoPlot& plot, PlotRange range, const std::string& name, double top) {
  const PlotScales scales = plot_scales(plot, range);
  std::string text = "<text x=\"" + coordinate(kPanelLeft) + "\" y=\"" + coordinate(top - 12) +
                     "\" class=\"name\">" + name + "</text>\n";
  double left = kPanelLeft;
  for (const Projection& projection : kProjections) {
    text += panel_svg(plot, scales, projection, left, top);
    left += kPanelAdvance;
  }
  return text;
}

}  // namespace

std::string pareto_svg(const ParetoPlot& plot) {
  std::string body;
  double bottom = kTop + kRowAdvance;
  if (wants_close_up(plot)) {
    body += row_svg(plot, PlotRange::Everything, "with baselines", kTop);
    body += row_svg(plot, PlotRange::FrontsOnly, "the front alone", bottom);
    bottom += kRowAdvance;
  } else {
    body += row_svg(plot, PlotRange::Everything, "", kTop);
  }
  const Key key = key_of(plot, bottom - 36);
  const std::string height = coordinate(key.bottom() + 4);
  const std::string width = coordinate(kWidth);
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + width + "\" height=\"" + height +
         "\" viewBox=\"0 0 " + width + " " + height + "\">\n" + std::string(kStyle) +
         "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n<text x=\"24\" y=\"32\" "
         "class=\"title\">" +
         markup_text(shortened(plot.title, 120)) +
         "</text>\n<text x=\"24\" y=\"54\" class=\"subtitle\">" +
         markup_text(shortened(plot.subtitle, 190)) + "</text>\n" + body + key.svg() + "</svg>\n";
}

}  // namespace paretrain::results

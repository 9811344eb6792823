#include "results/plot_panel.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "results/colour_scale.h"
#include "results/label_placement.h"
#include "results/svg_text.h"

namespace paretrain::results {

namespace {

constexpr int kTicks = 6;
constexpr double kLabelSize = 11;
constexpr std::size_t kMemory = 2;

struct Place {
  double x = 0;
  double y = 0;
};

std::string attribute(const char* name, double value) {
  return std::string(" ") + name + "=\"" + coordinate(value) + '"';
}

std::string line(Place a, Place b, const std::string& style) {
  return "<line" + attribute("x1", a.x) + attribute("y1", a.y) + attribute("x2", b.x) +
         attribute("y2", b.y) + " " + style + "/>\n";
}

std::string text_element(Place at, const std::string& style, const std::string& text) {
  return "<text" + attribute("x", at.x) + attribute("y", at.y) + " " + style + ">" +
         markup_text(text) + "</text>\n";
}

std::string circle(Place at, double radius, const std::string& style) {
  return "<circle" + attribute("cx", at.x) + attribute("cy", at.y) + attribute("r", radius) + " " +
         style + "/>\n";
}

Box around(Place at, double reach) {
  return {at.x - reach, at.y - reach, at.x + reach, at.y + reach};
}

class Panel {
 public:
  Panel(const ParetoPlot& plot,
        const PlotScales& scales,
        const Projection& projection,
        Place origin)
      : plot_(plot), scales_(scales), projection_(projection), origin_(origin) {
    surroundings_.bounds = {origin.x, origin.y, origin.x + kPanelSize, origin.y + kPanelSize};
  }

  std::string svg() {
    std::string text = frame();
    text += dominated();
    text += budget();
    for (std::size_t series = 0; series < plot_.fronts.size(); ++series)
      text += front(series);
    text += baselines();
    text += knee_and_labels();
    if (plot_.fronts.size() == 1) text += colour_bar();
    return text;
  }

 private:
  [[nodiscard]] double share(std::size_t objective, double value) const {
    return scales_.axes[objective].share(value / scales_.units[objective].divisor);
  }

  [[nodiscard]] bool is_inside(const ObjectivePoint& values) const {
    const double x = share(projection_.x, values[projection_.x]);
    const double y = share(projection_.y, values[projection_.y]);
    return x >= 0 && x <= 1 && y >= 0 && y <= 1;
  }

  [[nodiscard]] std::string colour_of(const ObjectivePoint& values) const {
    const std::size_t objective = projection_.colour;
    return scale_colour(
        scales_.colours[objective].share(values[objective] / scales_.units[objective].divisor));
  }

  [[nodiscard]] Place place(const ObjectivePoint& values) const {
    return {origin_.x + kPanelSize * share(projection_.x, values[projection_.x]),
            origin_.y + kPanelSize * (1 - share(projection_.y, values[projection_.y]))};
  }

  [[nodiscard]] std::string frame() const {
    std::string text = "<rect" + attribute("x", origin_.x) + attribute("y", origin_.y) +
                       attribute("width", kPanelSize) + attribute("height", kPanelSize) +
                       " class=\"area\"/>\n";
    const double bottom = origin_.y + kPanelSize;
    for (const AxisTick& tick : scales_.axes[projection_.x].ticks) {
      const double x = origin_.x + kPanelSize * scales_.axes[projection_.x].share(tick.value);
      text += line({x, origin_.y}, {x, bottom}, "class=\"grid\"");
      text += text_element({x, bottom + 16}, "class=\"tick\" text-anchor=\"middle\"", tick.text);
    }
    for (const AxisTick& tick : scales_.axes[projection_.y].ticks) {
      const double y = origin_.y + kPanelSize * (1 - scales_.axes[projection_.y].share(tick.value));
      text += line({origin_.x, y}, {origin_.x + kPanelSize, y}, "class=\"grid\"");
      text += text_element({origin_.x - 7, y + 4}, "class=\"tick\" text-anchor=\"end\"", tick.text);
    }
    text += text_element({origin_.x + kPanelSize / 2, bottom + 38},
                         "class=\"axis\" text-anchor=\"middle\"",
                         scales_.titles[projection_.x]);
    const std::string at =
        coordinate(origin_.x - 58) + " " + coordinate(origin_.y + kPanelSize / 2);
    return text + "<text transform=\"translate(" + at +
           ") rotate(-90)\" class=\"axis\" text-anchor=\"middle\">" +
           markup_text(scales_.titles[projection_.y]) + "</text>\n";
  }

  [[nodiscard]] std::string dominated() const {
    std::string text;
    for (const ObjectivePoint& point : plot_.dominated)
      if (is_inside(point)) text += circle(place(point), 2, "class=\"dominated\"");
    return text;
  }

  // The dashed line of the memory budget, named at its right end.
  std::string budget() {
    if (!plot_.memory_limit_bytes || projection_.y != kMemory) return "";
    const double at = share(kMemory, *plot_.memory_limit_bytes);
    if (at < 0 || at > 1) return "";
    const double y = origin_.y + kPanelSize * (1 - at);
    const double right = origin_.x + kPanelSize;
    const std::string name = "memory limit";
    const double width = text_width(name, kLabelSize) + 6;
    const double text_y = at > 0.9 ? y + 13 : y - 5;
    surroundings_.blocked.push_back({right - width, text_y - 11, right, text_y + 3});
    return line({origin_.x, y}, {right, y}, "class=\"budget\"") +
           text_element({right - 3, text_y}, "class=\"limit\" text-anchor=\"end\"", name);
  }

  std::string front(std::size_t series) {
    std::string text;
    const bool is_only_one = plot_.fronts.size() == 1;
    const std::vector<PlotPoint>& points = plot_.fronts[series].points;
    const double radius = points.size() > 400 ? 3 : 4.5;
    for (const PlotPoint& point : points) {
      const std::string colour = is_only_one ? colour_of(point.values) : series_colour(series);
      const Place at = place(point.values);
      surroundings_.points.push_back(around(at, radius));
      text += circle(
          at,
          radius,
          "class=\"plan\" fill=\"" + colour + "\" data-plan=\"" + markup_text(point.label) + '"');
    }
    return text;
  }

  // Crosses; those at one place share a label.
  std::string baselines() {
    std::string text;
    std::map<std::pair<double, double>, std::string> letters;  // by place
    for (std::size_t i = 0; i < plot_.baselines.size(); ++i) {
      if (!is_inside(plot_.baselines[i].values)) continue;
      const Place at = place(plot_.baselines[i].values);
      std::string& group = letters[{std::round(at.x), std::round(at.y)}];
      if (!group.empty()) group += ',';
      group += baseline_letter(i);
      surroundings_.blocked.push_back(around(at, 5));
      text += "<path d=\"M" + coordinate(at.x - 4.5) + " " + coordinate(at.y - 4.5) +
              "l9 9m0 -9l-9 9\" class=\"baseline\"/>\n";
    }
    for (const auto& [at, group] : letters)
      want_label({at.first, at.second}, group, "class=\"letter\"");
    return text;
  }

  void want_label(Place at, const std::string& text, const std::string& style) {
    requests_.push_back({at.x, at.y, text_width(text, kLabelSize) + 2, kLabelSize + 1});
    texts_.push_back(text);
    styles_.push_back(style);
  }

  std::string knee_and_labels() {
    std::string text;
    if (plot_.knee && !plot_.fronts.empty()) {
      const PlotPoint& point = plot_.fronts.front().points[*plot_.knee];
      const Place at = place(point.values);
      text += circle(at, 8.5, "class=\"knee\"");
      surroundings_.blocked.push_back(around(at, 11));
      want_label(at, "knee: plan " + shortened(point.label, 12), "class=\"name\"");
      std::rotate(requests_.begin(), requests_.end() - 1, requests_.end());  // the longest first
      std::rotate(texts_.begin(), texts_.end() - 1, texts_.end());
      std::rotate(styles_.begin(), styles_.end() - 1, styles_.end());
    }
    const auto placed = placed_labels(requests_, surroundings_);
    for (std::size_t i = 0; i < placed.size(); ++i)
      if (placed[i]) text += label(requests_[i], *placed[i], i);
    return text;
  }

  // The text, with a thin line to its point where it stands off.
  [[nodiscard]] std::string label(const LabelRequest& request,
                                  const Box& box,
                                  std::size_t i) const {
    const Place nearest{std::clamp(request.x, box.left, box.right),
                        std::clamp(request.y, box.top, box.bottom)};
    std::string text;
    if (std::hypot(nearest.x - request.x, nearest.y - request.y) > 16)
      text += line({request.x, request.y}, nearest, "class=\"leader\"");
    return text + text_element({box.left + 1, box.bottom - 2.5}, styles_[i], texts_[i]);
  }

  [[nodiscard]] std::string colour_bar() const {
    const double left = origin_.x + kPanelSize + 12;
    constexpr int kSteps = 48;
    std::string text;
    for (int i = 0; i < kSteps; ++i) {
      const double height = kPanelSize / kSteps;
      const double y = origin_.y + kPanelSize - height * (i + 1);
      text += "<rect" + attribute("x", left) + attribute("y", y) + " width=\"11\"" +
              attribute("height", height + 0.4) + " fill=\"" + scale_colour((i + 0.5) / kSteps) +
              "\"/>\n";
    }
    const Axis& axis = scales_.colours[projection_.colour];
    for (const AxisTick& tick : axis.ticks) {
      const double y = origin_.y + kPanelSize * (1 - axis.share(tick.value));
      text += text_element({left + 16, y + 4}, "class=\"tick\"", tick.text);
    }
    return text + text_element({left + 11, origin_.y - 9},
                               "class=\"axis\" text-anchor=\"middle\"",
                               scales_.titles[projection_.colour]);
  }

  const ParetoPlot& plot_;
  const PlotScales& scales_;
  const Projection& projection_;
  Place origin_;
  LabelSurroundings surroundings_;
  std::vector<LabelRequest> requests_;
  std::vector<std::string> texts_;
  std::vector<std::string> styles_;
};

struct Extent {
  bool is_empty = true;
  double low = 0;
  double high = 0;

  void add(double value) {
    low = is_empty ? value : std::min(low, value);
    high = is_empty ? value : std::max(high, value);
    is_empty = false;
  }
};

Extent extent(const ParetoPlot& plot, std::size_t objective, PlotRange range) {
  Extent result;
  for (const PlotSeries& front : plot.fronts)
    for (const PlotPoint& point : front.points)
      result.add(point.values[objective]);
  if (range == PlotRange::FrontsOnly && !result.is_empty) return result;
  for (const PlotPoint& point : plot.baselines)
    result.add(point.values[objective]);
  for (const ObjectivePoint& point : plot.dominated)
    result.add(point[objective]);
  // A budget near the plans belongs in the picture; one far above would squeeze them.
  if (objective == kMemory && plot.memory_limit_bytes && !result.is_empty &&
      *plot.memory_limit_bytes <= 1.3 * result.high)
    result.add(*plot.memory_limit_bytes);
  return result;
}

}  // namespace

std::string baseline_letter(std::size_t index) {
  constexpr std::size_t kLetters = 26;
  std::string text;
  if (index >= kLetters) text += baseline_letter(index / kLetters - 1);
  return text + static_cast<char>('a' + index % kLetters);
}

PlotScales plot_scales(const ParetoPlot& plot, PlotRange range) {
  PlotScales scales;
  const std::array<std::string, 3> units{plot.latency_unit, plot.energy_unit, "bytes"};
  const std::array<const char*, 3> names{"latency", "energy", "peak memory"};
  for (std::size_t objective = 0; objective < names.size(); ++objective) {
    const Extent all = extent(plot, objective, range);
    const Extent fronts = extent(plot, objective, PlotRange::FrontsOnly);
    const AxisUnit unit =
        axis_unit(units[objective], extent(plot, objective, PlotRange::Everything).high);
    scales.axes[objective] = axis(all.low / unit.divisor, all.high / unit.divisor, kTicks);
    scales.colours[objective] = axis(fronts.low / unit.divisor, fronts.high / unit.divisor, kTicks);
    scales.titles[objective] =
        std::string(names[objective]) + " [" + shortened(unit.text, 16) + "]";
    scales.units[objective] = unit;
  }
  return scales;
}

bool wants_close_up(const ParetoPlot& plot) {
  constexpr double kSqueezed = 2.5;
  for (std::size_t objective = 0; objective < 3; ++objective) {
    const Extent all = extent(plot, objective, PlotRange::Everything);
    const Extent fronts = extent(plot, objective, PlotRange::FrontsOnly);
    const double width = fronts.high - fronts.low;
    if (width > 0 && all.high - all.low > kSqueezed * width) return true;
  }
  return false;
}

std::string panel_svg(const ParetoPlot& plot,
                      const PlotScales& scales,
                      const Projection& projection,
                      double left,
                      double top) {
  return Panel(plot, scales, projection, {left, top}).svg();
}

}  // namespace paretrain::results

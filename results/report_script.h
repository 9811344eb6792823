// Why: the page's own style and script, apart from the code that fills it; no library is used.
#pragma once

#include <string_view>

namespace paretrain::results {

extern const std::string_view kReportStyle;
extern const std::string_view kReportControls;  // above the picture
extern const std::string_view kReportBody;      // below the picture
extern const std::string_view kReportScript;

}  // namespace paretrain::results

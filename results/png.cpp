#include "results/png.h"

#include "base/error.h"

#ifdef PARETRAIN_WITH_PNG
#include <cmath>
#include <memory>

#include <cairo.h>
#include <librsvg/rsvg.h>
#endif

namespace paretrain::results {

#ifdef PARETRAIN_WITH_PNG

namespace {

struct Unref {
  void operator()(RsvgHandle* handle) const { g_object_unref(handle); }

  void operator()(cairo_surface_t* surface) const { cairo_surface_destroy(surface); }

  void operator()(cairo_t* context) const { cairo_destroy(context); }

  void operator()(GError* error) const { g_error_free(error); }
};

cairo_status_t append_bytes(void* target, const unsigned char* bytes, unsigned length) {
  static_cast<std::string*>(target)->append(reinterpret_cast<const char*>(bytes), length);
  return CAIRO_STATUS_SUCCESS;
}

[[noreturn]] void fail(const std::string& what) {
  throw IoError("PNG", what);
}

}  // namespace

bool can_write_png() {
  return true;
}

std::string png_of_svg(std::string_view svg) {
  constexpr double kScale = 2;
  GError* raw_error = nullptr;
  const std::unique_ptr<RsvgHandle, Unref> handle(rsvg_handle_new_from_data(
      reinterpret_cast<const guint8*>(svg.data()), svg.size(), &raw_error));
  const std::unique_ptr<GError, Unref> error(raw_error);
  if (!handle) fail(error ? error->message : "the SVG cannot be read");
  double width = 0;
  double height = 0;
  if (rsvg_handle_get_intrinsic_size_in_pixels(handle.get(), &width, &height) == 0)
    fail("the SVG has no size");
  const std::unique_ptr<cairo_surface_t, Unref> surface(
      cairo_image_surface_create(CAIRO_FORMAT_ARGB32,
                                 static_cast<int>(std::ceil(width * kScale)),
                                 static_cast<int>(std::ceil(height * kScale))));
  const std::unique_ptr<cairo_t, Unref> context(cairo_create(surface.get()));
  const RsvgRectangle area{0, 0, width * kScale, height * kScale};
  GError* raw_draw_error = nullptr;
  const bool drawn =
      rsvg_handle_render_document(handle.get(), context.get(), &area, &raw_draw_error) != 0;
  const std::unique_ptr<GError, Unref> draw_error(raw_draw_error);
  if (!drawn) fail(draw_error ? draw_error->message : "the SVG cannot be drawn");
  std::string png;
  if (cairo_surface_write_to_png_stream(surface.get(), append_bytes, &png) != CAIRO_STATUS_SUCCESS)
    fail("the picture cannot be encoded");
  return png;
}

#else

bool can_write_png() {
  return false;
}

std::string png_of_svg(std::string_view) {
  throw InputError(Problem{"PNG", "this build has no librsvg", "write .svg or .html instead"});
}

#endif

}  // namespace paretrain::results

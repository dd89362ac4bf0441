// Every kernel ends with twice what the PE before holds.
#include <gicc/reference.h>

GICC_REFERENCE(run) {
  for (int pe = 0; pe < run.n_pes(); ++pe) {
    auto source = run.buffer<float>("source", (pe + run.n_pes() - 1) % run.n_pes());
    for (const char *out : {
             "out_put_signal_thread",
             "out_put_signal_warp",
             "out_put_signal_block",
             "out_put_release_thread",
             "out_put_release_warp",
             "out_put_release_block",
             "out_get_thread",
             "out_get_warp",
             "out_get_block",
             "out_peer",
             "out_last_block",
             "out_initiate_thread",
             "out_initiate_warp",
             "out_initiate_block",
             "out_event_thread",
             "out_event_warp",
             "out_event_block",
             "out_channel"}) {
      auto got = run.buffer<float>(out, pe);
      for (int64_t i = 0; i < run.parameter("n"); ++i) got[i] = 2 * source[i];
    }
  }
}

// The pointers for debuggers (dac.h).
#include "host/dotnet/dac.h"

namespace garner::dotnet {

namespace {
constexpr usize kGenerationBytes = 256, kGenerations = 5; // more than any layout the readers know
alignas(kPageBytes) u8 zeros[4 * kPageBytes];             // the longest thing that is read at one of the pointers fits
int oldest_generation = 2, cannot_be_walked = 1;
// Readers follow two pointers further, without a look: that of the queue of finalizers, and that of the buckets in the map of handles (buckets, next map, most).
void* empty_queue = zeros;
void* empty_map[3] = {zeros, nullptr, nullptr};
} // namespace

void describe_to_debuggers(clr::GcDacVars& vars) {
  static_assert(kGenerationBytes * kGenerations <= sizeof zeros);
  vars.generation_size = kGenerationBytes;
  vars.total_generation_count = kGenerations;
  void** pointers[] = {
      &vars.build_variant, &vars.built_with_svr, &vars.gc_global_mechanisms, &vars.generation_table, &vars.mark_array, &vars.current_c_gc_state,
      &vars.ephemeral_heap_segment, &vars.saved_sweep_ephemeral_seg, &vars.saved_sweep_ephemeral_start, &vars.background_saved_lowest_address,
      &vars.background_saved_highest_address, &vars.alloc_allocated, &vars.next_sweep_obj, &vars.oom_info, &vars.finalize_queue,
      &vars.internal_root_array, &vars.internal_root_array_index, &vars.heap_analyze_success, &vars.n_heaps, &vars.g_heaps,
      &vars.interesting_data_per_heap, &vars.compact_reasons_per_heap, &vars.expand_mechanisms_per_heap,
      &vars.interesting_mechanism_bits_per_heap, &vars.handle_table_map, &vars.gc_heap_field_offsets, &vars.generation_field_offsets,
      &vars.bookkeeping_start, &vars.global_regions_to_decommit, &vars.global_free_huge_regions, &vars.free_regions,
      &vars.freeable_soh_segment, &vars.freeable_uoh_segment, &vars.dynamic_adaptation_mode,
  };
  for (void** pointer : pointers) *pointer = zeros;
  vars.max_gen = &oldest_generation;
  vars.finalize_queue = &empty_queue;
  vars.handle_table_map = empty_map;
  vars.gc_structures_invalid_cnt = &cannot_be_walked;
}

} // namespace garner::dotnet

# The pairs of host and machine for which collectors are compiled: one .cc each, written here, so that headers stay cheap.
# GARNER_PAIR_<name> is the generated file.
function(garner_pair name host_header host machine_header machine)
  set(file ${CMAKE_BINARY_DIR}/pairs/${name}.cc)
  file(CONFIGURE OUTPUT ${file} @ONLY CONTENT
"// Written by cmake/pairs.cmake.
#include \"cycle/cycle.ipp\"
#include \"collect/evacuate/evacuation.ipp\"
#include \"collect/compact/compaction.ipp\"
#include \"heap/heap.ipp\"
#include \"@machine_header@\"
#include \"@host_header@\"
template class garner::Heap<@machine@>;
template class garner::Cycle<@host@, @machine@>;
")
  set(GARNER_PAIR_${name} ${file} PARENT_SCOPE)
endfunction()

garner_pair(dotnet_linux host/dotnet/host.h garner::dotnet::DotNet machine/linux/linux.h garner::Linux)
garner_pair(synthetic_linux host/synthetic/synthetic.ipp garner::Synthetic<garner::Linux> machine/linux/linux.h garner::Linux)
garner_pair(synthetic_sim host/synthetic/synthetic.ipp garner::Synthetic<garner::Sim> machine/sim/sim.h garner::Sim)

/* gicc for launchers that are not gicc's own: torch, JAX, or a program that loads modules and launches kernels itself.
 *
 *   gicc_team *team;
 *   if (gicc_team_create(2, 256 << 20, 10.0, &team)) die(gicc_last_error());
 *   uint64_t data[2];
 *   gicc_symmetric_alloc(team, "data", bytes, data);          // data[pe] is its address on PE pe
 *   CUmodule modules[2] = { ... };                            // loaded on GPU 0 and GPU 1
 *   uint32_t module;
 *   if (gicc_module_init(team, modules, "kernel.cu", &module)) die(gicc_last_error());
 *   gicc_module_clear(team, module);
 *   ... launch on both GPUs, wait for both ...
 *   if (gicc_module_check(team, module)) die(gicc_last_error());
 *
 * One process, one PE for each GPU 0 to n - 1. Set CUDA_MODULE_LOADING=EAGER before the CUDA driver starts: a kernel that
 * is loaded at its first launch can wait for a kernel that spins on another GPU. (Where it is not set,
 * gicc_team_create sets it, and then no other thread may use the environment at that time.) Two launches of one module may not run
 * at the same time, since they would share its workspace.
 *
 * Every function that returns int32_t returns 0, or another number after setting gicc_last_error() of the calling thread.
 * A team is used by one thread at a time. Calls change the thread's current CUDA context.
 */
#ifndef GICC_HOST_H
#define GICC_HOST_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gicc_team gicc_team;
struct CUmod_st; /* CUmodule is a pointer to it. */

/* What the last failed call of this thread says; valid until its next call. */
const char *gicc_last_error(void);

/* A team of `n_pes` GPUs with at least `heap_bytes` bytes of symmetric memory on each, workspaces included.
 * `timeout_seconds` is the bound of a wait on the device. */
int32_t gicc_team_create(uint32_t n_pes, uint64_t heap_bytes, double timeout_seconds, gicc_team **team);

/* Ends a team; no kernel of it runs any more. NULL is allowed. */
void gicc_team_destroy(gicc_team *team);

/* Number of PEs; 0 for NULL. */
uint32_t gicc_team_n_pes(const gicc_team *team);

/* Allocates at the same offset on every PE, aligned to 256 bytes; `addresses` has room for n_pes. `name` is for messages. */
int32_t gicc_symmetric_alloc(gicc_team *team, const char *name, uint64_t bytes, uint64_t *addresses);

/* Frees all symmetric memory of the team. */
int32_t gicc_symmetric_free_all(gicc_team *team);

/* How many blocks a launch has at most whose kernel calls collectives; 128 where this is not called. Modules that are made
 * usable afterwards get room for their packets: 128 KiB a block and PE. A block beyond is an error at run time. */
int32_t gicc_team_set_collective_blocks(gicc_team *team, uint32_t blocks);

/* Makes a compiled module usable: checks its version, gives it a workspace, which is zeroed once, and tells its kernels
 * who they are. `modules` has one CUmodule for each PE, which stay the caller's. */
int32_t gicc_module_init(gicc_team *team, struct CUmod_st *const *modules, const char *source, uint32_t *module);

/* Clears the module's error words; before a launch. */
int32_t gicc_module_clear(gicc_team *team, uint32_t module);

/* Reads the module's error words, after all PEs' kernels have ended: not 0 where one reports an error, which
 * gicc_last_error() then tells in words. After an error call gicc_module_reset before the next launch. */
int32_t gicc_module_check(gicc_team *team, uint32_t module);

/* Zeroes the module's workspace and error words on all PEs; no kernel of it runs. */
int32_t gicc_module_reset(gicc_team *team, uint32_t module);

#ifdef __cplusplus
}
#endif
#endif /* GICC_HOST_H */

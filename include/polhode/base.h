/* Status codes, error record, allocator. */
#ifndef POLHODE_BASE_H
#define POLHODE_BASE_H

#include <stddef.h>

#include "polhode/vec.h"

#ifdef __cplusplus
extern "C" {
#endif

#define PH_VERSION "0.2.0"

#if defined(__GNUC__)
#define PH_API __attribute__((visibility("default")))
#else
#define PH_API
#endif

/* Every status, the word that JSON output uses, and the state it leaves behind. */
#define PH_STATUS_LIST(X)                                                                                    \
    X(PH_OK, "ok", "done")                                                                                   \
    X(PH_E_INPUT, "bad_input", "an argument makes no sense; nothing was changed")                            \
    X(PH_E_MEMORY, "out_of_memory", "an allocation failed; nothing was changed and nothing is leaked")       \
    X(PH_E_INCONSISTENT, "inconsistent", "initial values violate the constraints; nothing was changed")      \
    X(PH_E_SINGULAR, "singular", "a matrix is singular; the state is as before the call")                    \
    X(PH_E_NEWTON, "newton_failed", "Newton did not converge; the state is as before the call")              \
    X(PH_E_STEP, "step_failed", "the step is too large, or none is small enough; the state is as before")    \
    X(PH_E_NAN, "not_finite", "a callback gave NaN or infinity; the state is as before the call")            \
    X(PH_E_CALLBACK, "callback_failed", "a callback refused; the state is as before the call")               \
    X(PH_E_STOPPED, "stopped", "the output callback asked to stop; the state is that of the last step")

#define PH_STATUS_ENUM(code, word, text) code,
typedef enum ph_status { PH_STATUS_LIST(PH_STATUS_ENUM) PH_STATUS_COUNT } ph_status;
#undef PH_STATUS_ENUM

PH_API const char *ph_status_word(ph_status s); /* "newton_failed" */
PH_API const char *ph_status_text(ph_status s); /* what it means and the state it leaves */
PH_API const char *ph_version(void);            /* of the library at work: "1.2.3" */

/* NULL if this processor has all instructions that the library was compiled for, otherwise a name: "avx2". Any other function of
 * the library may then be killed by the system. */
PH_API const char *ph_processor_lacks(void);

/* What went wrong, in the user's words. Functions that take a ph_error accept NULL. */
typedef struct ph_error {
    ph_status status;
    char text[512];
} ph_error;

/* Where memory comes from. Only create functions allocate; NULL means malloc and free. */
typedef struct ph_allocator {
    void *(*alloc)(size_t size, void *ctx); /* returns NULL when there is none */
    void (*free)(void *p, void *ctx);       /* accepts NULL */
    void *ctx;
} ph_allocator;

/* Told of what a user may want to know but that is no error, such as a differenced tangent. */
typedef void (*ph_log_fn)(const char *text, void *ctx);

/* Which linear solver to use; PH_AUTO chooses by structure. */
typedef enum ph_solver_kind {
#define PH_SOLVER(code, ops, name, text) code,
#include "polhode/solvers.def"
#undef PH_SOLVER
    PH_SOLVER_COUNT
} ph_solver_kind;

#ifdef __cplusplus
}
#endif

#endif

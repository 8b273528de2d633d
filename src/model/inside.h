/* What the files of the reader share: its record and the services they offer each other.
 *
 * All that is allocated hangs on the record, so that an error may leave any function at any place: it ends in
 * ph_reader_fail, which jumps, as every error of Lua does, to the protected call in ph_reader_call. "Fails"
 * means this jump; only functions below a protected call may call what fails. */
#ifndef PH_MODEL_INSIDE_H
#define PH_MODEL_INSIDE_H

#include <stdatomic.h>
#include <lua.h>

#include "base/base.h"
#include "base/files.h"
#include "io/csv.h"
#include "model/keys.h"
#include "model/limits.h"
#include "polhode/model.h"

/* A name that becomes an index once all elements are known. */
typedef struct ph_ref {
    ph_kind kind; /* of the element that refers */
    int element;  /* its index */
    size_t at;    /* its int */
    ph_kind to;   /* PH_K_BODY, PH_K_JOINT, PH_K_SENSOR, PH_K_FORCE or PH_K_INPUT; PH_KINDS: of PH_V_OF */
    const char *key, *name;
} ph_ref;

/* A point given in the world that becomes one of a body. */
typedef struct ph_world {
    ph_kind kind;
    int element;
    size_t at; /* its ph_vec3 */
} ph_world;

/* A function of the file. */
typedef struct ph_fn {
    int ref; /* in the registry */
    ph_kind kind;
    int element;
    int only_state;    /* it takes s and not t */
    ph_traced *traced; /* that of its ph_function */
} ph_fn;

typedef enum ph_refusal {
    PH_NOT_REFUSED,
    PH_STRING_REFUSED,
    PH_MEMORY_REFUSED,
    PH_WORK_REFUSED,
    PH_SYSTEM_REFUSED
} ph_refusal;

typedef struct ph_chunk ph_chunk;
typedef struct ph_image ph_image;   /* image.h */
typedef struct ph_images ph_images; /* the same */

/* What reading needs in the registry of Lua. */
typedef struct ph_places {
    int names[PH_KINDS]; /* tables: name to index */
    int file;            /* the file as a function; of Lua only */
    int state;           /* s of functions, */
    int outlook;         /* s.joints, s.inputs and s.states */
} ph_places;

typedef struct ph_vector {
    void *data;
    int n, capacity;
} ph_vector;

typedef struct ph_reader {
    ph_model def; /* first: what the user holds; its arrays are filled in at the end */
    atomic_int holders;
    const ph_allocator *alloc;
    const ph_setting *sets; /* parameters set from outside; copies, once it is read */
    int n_sets;
    ph_host host; /* functions of who reads it */

    /* what grows while reading */
    ph_vector element[PH_KINDS]; /* PH_K_RUN: unused, its record is def.run */
    ph_vector params, refs, worlds, fns;
    ph_chunk *strings;
    char *source; /* the file; freed once it is read where nothing can change the model */
    size_t source_size;
    ph_files files;         /* those beside it; dropped where the source is freed */
    ph_vector parts;        /* const char *: paths of the files that include(...) read */
    ph_csv_data table;      /* a table that is read now */
    ph_body_state *initial; /* of all bodies, to try functions; freed once the model is read */

    /* the sandbox */
    lua_State *L; /* NULL once reading is done and there are no functions */
    ph_places at;
    ph_images *images;   /* of all models of this text; NULL: there are none */
    ph_image *image;     /* that L is one of; NULL: of none */
    size_t memory;       /* bytes */
    ph_refusal refused;  /* why the last allocation failed, */
    int refused_line;    /* and where */
    size_t refused_size; /* its bytes */
    int hook_line;       /* line of the file that ran when the hook was called last; 0: none yet */
    double since;        /* CPU time [s] from which time counts; 0: from the next look at the clock on */
    double time_limit;   /* s */
    double work;         /* operations so far, */
    double work_limit;   /* of which there may be so many; 0: any number */
    double looked;       /* work when the clock was last looked at */
    int running;         /* 1: Lua code runs, and its stack can tell the line */
    int complete;        /* 1: the file has run; no more elements */

    /* where we are, for messages */
    int line;                       /* 0: none */
    const char *part;               /* the file that the line is of; NULL: the model file */
    int thrown_line;                /* of the last error of Lua */
    char label[PH_MODEL_NAME + 32]; /* "joint 'pivot'"; "": outside of elements, or */
    const ph_fn *called;            /* of the element that this function belongs to; NULL: none */
    int gravity_line, model_line, run_line, ground_line; /* where they were given; 0: not yet */

    /* the state that functions see */
    const ph_body_state *states; /* NULL: none is known now */
    double t;
    int seeing[16], n_seeing; /* sensors whose functions are called by functions, one by the other */
    struct ph_scene *scene;   /* of a call from a mechanism: where these are found; NULL: there is none */
    ph_vector curves;         /* const ph_curve *: in the order of the file */
    ph_sight *sight;          /* of an objective under way; NULL: of none */
    int trying;               /* it is only tried: */
    int blind;                /* it looked at sensors, of which nothing is known yet */

    struct ph_trace *trace;     /* of a reader that traces functions; NULL: it does not */
    const char *symbol;         /* the parameter that functions shall be expressions of too; NULL: none */
    struct ph_reader *twin;     /* the second state, while functions are traced; */
    struct ph_reader *original; /* and of that the first; NULL of others */
    void *work_block;           /* of functions that are compared */
    int untraced;               /* 1: some function needs Lua in a run */
    atomic_long calls;          /* of functions, in runs */

    _Atomic(const void *) inside; /* the thread that calls a function now; NULL: none does */
    atomic_int crowded;           /* 1: another one has tried to */

    int failed;
    ph_error error;
} ph_reader;

/* reader.c */
_Noreturn void ph_reader_fail(ph_reader *r, const char *format, ...) PH_PRINTF(2, 3);
_Noreturn void ph_reader_no_memory(ph_reader *r);
_Noreturn void ph_reader_leave(ph_reader *r); /* r->error is set */
int ph_reader_call(ph_reader *r, lua_CFunction f,
                   void *argument);                 /* protected; 0: it failed, and r->error is set */
void ph_reader_translate(ph_reader *r, int status); /* the message on top of the stack, of a failed call */

void ph_reader_go(ph_reader *r, const ph_origin *to); /* line and file of messages */
/* Load a text as a function, on top of the stack; name: what Lua calls it, "=model". Fails where it is no Lua. */
void ph_reader_load(ph_reader *r, lua_State *L, const char *text, size_t size, const char *name);

/* host.c: host(...) becomes global, where there is one */
void ph_host_open(ph_reader *r, lua_State *L);

/* part.c: include(...) becomes global */
void ph_part_open(lua_State *L);
const char *ph_part_named(const ph_reader *r, const char *name,
                          size_t length); /* the file that Lua calls so; NULL: none */
ph_status
ph_reader_twin(ph_reader *r,
               const char *symbol); /* another reader that has read the same file, in order to trace:
                                                   r->twin; symbol: the parameter that is one, NULL: none */
void ph_reader_free_twin(ph_reader *r);

/* store.c; all but ph_store_free fail where memory ends */
ph_reader *ph_reader_of(lua_State *L);
void *ph_store_push(ph_reader *r, ph_vector *v, size_t size); /* one more, zeroed; valid until the next */
void *ph_store_element(ph_reader *r, ph_kind kind);           /* one more, with default values */
void *ph_store_at(ph_reader *r, ph_kind kind, int index);
const char *ph_store_text(ph_reader *r, const char *text,
                          size_t length);                       /* a copy that lives as long as the model */
double *ph_store_numbers(ph_reader *r, const double *x, int n); /* the same of numbers; x NULL: not set */
void *ph_store_room(ph_reader *r, size_t count, size_t size);   /* the same of anything, zeroed */
const char *
ph_store_path(ph_reader *r, const char *key,
              const char *file); /* of a file beside the model file or below; fails where it is not */
int ph_store_find(ph_reader *r, ph_kind kind, const char *name); /* index; -1: none has this name */
void ph_store_name(ph_reader *r, ph_kind kind, const char *name, int index); /* fails where it is taken */
ph_origin *ph_store_origin(ph_reader *r, ph_kind kind, int index);
const char *ph_store_name_of(ph_reader *r, ph_kind kind, int index);
void ph_store_free(ph_reader *r);

/* sandbox.c */
#define PH_WORK_SENTENCE "this takes more than %g operations; is there an infinite loop?"
void *ph_sandbox_alloc(void *reader, void *p, size_t old_size, size_t size); /* lua_Alloc */
void ph_sandbox_open(ph_reader *r, lua_State *L);                            /* libraries, limits */
void ph_sandbox_watch(lua_State *L);                                         /* instructions are counted */
void ph_sandbox_start(ph_reader *r, double limit_s, double limit_work);      /* the clock, and work from 0 */
int ph_sandbox_spend(ph_reader *r, double work);                 /* 1: it is too much, or too late */
void ph_sandbox_charge(ph_reader *r, lua_State *L, double work); /* fails where it is too much */
void ph_sandbox_charge_call(ph_reader *r, lua_State *L, const char *library, const char *name,
                            double work);         /* the same, of one call that is still to come */
void ph_sandbox_tick(ph_reader *r, lua_State *L); /* fails when time is up */
int ph_sandbox_late(ph_reader *r);
double ph_sandbox_now(void);                        /* CPU time [s] */
void ph_sandbox_excuse(ph_reader *r, double since); /* the time from then until now does not count */
int ph_line_of_call(lua_State *L); /* of the running C function, and r->part becomes its file; 0: unknown */

/* value.c: the value on top of the stack, of key; all fail where it makes no sense */
double ph_value_number(ph_reader *r, lua_State *L, const char *key);
void ph_value_numbers(ph_reader *r, lua_State *L, const char *key, int n, double *x); /* a list of n */
double ph_value_check(ph_reader *r, const char *key, double x); /* finite and not huge */
void ph_value_store(ph_reader *r, lua_State *L, const ph_key *k, int index);
int ph_value_count(ph_reader *r, lua_State *L, const char *key);        /* a whole number >= 1 */
const char *ph_value_file(ph_reader *r, lua_State *L, const char *key); /* a copy */
const char *ph_value_name(ph_reader *r, lua_State *L, const char *key); /* a copy */

/* geometry.c: the same */
ph_vec3 ph_value_unit(ph_reader *r, lua_State *L, const char *key);
ph_mat3 ph_value_inertia(ph_reader *r, lua_State *L, const char *key);
ph_quat ph_value_rotation(ph_reader *r, lua_State *L, const char *key);
ph_mat3 ph_value_frame(ph_reader *r, lua_State *L, const char *key);

ph_quat ph_rotation_of(ph_mat3 R); /* of an orthogonal matrix */

/* table.c: tables inside of values, on top of the stack */
void ph_table_only(ph_reader *r, lua_State *L, const char *key,
                   ph_word_fn words); /* all keys are of a list */
int ph_table_optional(lua_State *L,
                      const char *member); /* leaves its value on the stack; 0: it is not there */
void ph_table_push(ph_reader *r, lua_State *L, const char *key,
                   const char *member); /* fails where it is not */
void ph_table_positive(ph_reader *r, lua_State *L, const char *key, const char *member, int n,
                       double *x); /* n numbers above 0; one may stand for all */

/* flexible_value.c, flexible.c: the same; and what a flexible body that is read becomes */
void ph_flexible_value(ph_reader *r, lua_State *L, const ph_key *k, int index);
void ph_flexible_expand(ph_reader *r, int index);

/* flexible_reduced.c: a reduced body from the table on top of the stack, or a file; it hangs on the element */
void ph_reduced_value(ph_reader *r, lua_State *L, const char *key, int index);
void ph_reduced_read(ph_reader *r, lua_State *L, const char *file, int index);

/* beam.c: the same; and what a beam that is read becomes */
void ph_beam_value(ph_reader *r, lua_State *L, const ph_key *k, int index);
void ph_beam_expand(ph_reader *r, int index);

/* actuate.c: the same; and what was not given of inputs, states, actuators and couplings */
int ph_actuate_value(ph_reader *r, lua_State *L, const ph_key *k,
                     int index); /* 0: it is none of its values */
void ph_actuate_complete(ph_reader *r);

/* event.c: the same of actions; the joints, inputs and states that they name; once functions are traced, whether they
 * can change their sign; how many numbers a function of an event gives */
void ph_event_value(ph_reader *r, lua_State *L, const ph_key *k, int index);
void ph_event_complete(ph_reader *r);
void ph_event_check(ph_reader *r);
int ph_event_results(const ph_event_def *e, int function);

/* value.c */
void ph_value_refer(ph_reader *r, lua_State *L, const ph_key *k, ph_kind to, int index, size_t at,
                    const char *key); /* the name on top becomes an index of this kind, at its place */
int ph_value_list(ph_reader *r, lua_State *L, const char *key,
                  const char *what);                                    /* length; -1: it has holes */
const char *ph_value_word(ph_reader *r, lua_State *L, const char *key); /* a string of Lua's */
/* shape.c, mesh.c: shapes; triangles of a file or of the table on top of the stack */
void ph_shape_value(ph_reader *r, lua_State *L, const ph_key *k, int index);
void ph_mesh_read(ph_reader *r, const char *file, ph_mesh_def *mesh);
void ph_mesh_value(ph_reader *r, lua_State *L, const char *key, ph_mesh_def *mesh);

/* element.c */
void ph_element_open(ph_reader *r, lua_State *L); /* the functions of the model file become global */
void ph_element_call(ph_reader *r, lua_State *L,
                     const char *function); /* with the value on top, which it takes */
void ph_element_enter(ph_reader *r, lua_State *L, const char *function); /* where we are: its line and name */
void ph_element_label(ph_reader *r, ph_kind kind, int type, const char *name);
void ph_element_mention(ph_reader *r, ph_kind kind, int index); /* label of what is there */
void ph_element_about(ph_reader *r, ph_kind kind, int index);   /* label and line of what is there */
void ph_param_add(ph_reader *r, const char *name, double value);
_Noreturn void ph_fail_word(ph_reader *r, const char *what, const char *word, ph_word_fn list);

/* resolve.c */
void ph_reader_resolve(ph_reader *r, lua_State *L); /* after the last element */

/* function.c */
void ph_function_push_view(
    lua_State *L, const char *name); /* a metatable; name: what Lua's own messages call such a value */
void ph_function_open(ph_reader *r, lua_State *L); /* s */
ph_function ph_function_take(ph_reader *r, lua_State *L, ph_kind kind,
                             int index); /* from the top of the stack */
/* Call it at t = 0; fails where it does not give n numbers (n < 0: any number). How many it gives. */
int ph_function_try(ph_reader *r, const ph_function *f, const ph_body_state *bodies, int n);

/* At time t; n: numbers that are expected, -1: any; becomes how many there are. 0: r->error tells why not. */
int ph_function_evaluate(ph_reader *r, int index, double t, const ph_body_state *bodies, int *n, double *out);
size_t ph_function_offset(int kind); /* of an argument in ph_body_state; SIZE_MAX: it is not there */

/* maths.c */
void ph_maths_open(lua_State *L); /* clamp, sign, smoothstep, math.tanh, ... */

/* The same for one number, with patience for sensors, which do not exist yet. */
void ph_function_try_blind(ph_reader *r, const ph_function *f, const ph_body_state *bodies);

#define PH_SEEING_MAX 16
void ph_function_push_field(ph_reader *r, lua_State *L, int body,
                            const char *name); /* "position" of a body */

/* data.c */
void ph_data_read(ph_reader *r,
                  ph_objective_def *o); /* the table of data; fails where it has not its sensor */

/* json.c */
void ph_json_run(ph_reader *r, lua_State *L);
void ph_json_push(ph_reader *r, lua_State *L, const char *file, const char *source,
                  size_t size); /* the object that a file holds, as a table; the text ends with a 0 */

#endif

/* Model files: the way from a file to a model, and the words for what is wrong with it. */
#include "model/image.h"
#include "model/outlook.h"
#include "model/read_curve.h"
#include "base/hash.h"
#include "base/regular.h"

#include <errno.h>
#include <lauxlib.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ---- errors ------------------------------------------------------------------------------------------ */

#define PATH_SHOWN 160 /* characters: the end of a longer path must do */

/* "FILE:LINE: label: sentence", as far as file, line and label are known */
static void compose(ph_reader *r, ph_status s, const char *sentence)
{
    char line[16] = "";
    const char *file = r->part ? r->part : r->def.file;
    size_t length = strlen(file);
    if (!r->label[0] && r->called)
        ph_element_mention(r, r->called->kind, r->called->element);
    if (r->line > 0)
        snprintf(line, sizeof line, "%d:", r->line);
    ph_fail(&r->error, s, "%s%s:%s %s%s%s", length > PATH_SHOWN ? "..." : "",
            length > PATH_SHOWN ? file + length - PATH_SHOWN : file, line, r->label, r->label[0] ? ": " : "",
            sentence);
    ph_text_clean(r->error.text);
    r->failed = 1;
}

_Noreturn void ph_reader_leave(ph_reader *r)
{
    for (;;) {
        lua_pushnil(r->L);
        lua_error(r->L);
    }
}

_Noreturn void ph_reader_fail(ph_reader *r, const char *format, ...)
{
    char sentence[512];
    va_list ap;
    va_start(ap, format);
    vsnprintf(sentence, sizeof sentence, format, ap);
    va_end(ap);
    compose(r, PH_E_INPUT, sentence);
    ph_reader_leave(r);
}

static ph_status no_memory(ph_reader *r)
{
    compose(r, PH_E_MEMORY, "not enough memory to read the model");
    return PH_E_MEMORY;
}

_Noreturn void ph_reader_no_memory(ph_reader *r)
{
    no_memory(r);
    ph_reader_leave(r);
}

void ph_reader_go(ph_reader *r, const ph_origin *to)
{
    r->line = to->line, r->part = to->file;
}

#define CHUNK_NAME "model" /* by which Lua calls the file in its messages, "model:7: ..." */

/* The line at the head of a message of Lua, which it is then without; r->part becomes its file. 0: there is none. */
static int take_line(ph_reader *r, const char **message)
{
    char *end;
    size_t n = strcspn(*message, ":");
    const char *part = ph_part_named(r, *message, n);
    if (!part && (n != strlen(CHUNK_NAME) || strncmp(*message, CHUNK_NAME, n) != 0))
        return 0;
    long line = (*message)[n] ? strtol(*message + n + 1, &end, 10) : 0;
    if (line <= 0 || strncmp(end, ": ", 2) != 0)
        return 0;
    *message = end + 2;
    r->part = part;
    return (int)line;
}

/* Sentences of Lua that speak of its inside. */
static const char *reword(const char *message, char *text, size_t size)
{
    static const struct {
        const char *inside, *outside;
    } words[] = {{"<eof>", "the end of the file"}, {"upvalue '", "local '"}};
    if (strstr(message, "C stack overflow") || strstr(message, "error handling") ||
        strstr(message, "stack error"))
        return "something is nested too deeply, or a function calls itself for ever";
    if (strstr(message, "stack overflow (")) /* of a library function, with its reason */
        return "too many values at once";
    if (strstr(message, "stack overflow"))
        return "infinite recursion: a function calls itself";
    for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
        const char *at = strstr(message, words[k].inside);
        if (!at)
            continue;
        snprintf(text, size, "%.*s%s%s", (int)(at - message), message, words[k].outside,
                 at + strlen(words[k].inside));
        return text;
    }
    return message;
}

/* Return 1 if memory or work was refused: Lua says so, or, from 5.4.7 on, calls a stack that could not grow an overflow. */
static int was_refused(const ph_reader *r, int status)
{
    const char *message = lua_isstring(r->L, -1) ? lua_tostring(r->L, -1) : "";
    return status == LUA_ERRMEM || (r->refused != PH_NOT_REFUSED && strstr(message, "stack overflow"));
}

/* What Lua itself complains of: syntax, arithmetic with nil, error(...), memory. */
void ph_reader_translate(ph_reader *r, int status)
{
    lua_State *L = r->L;
    char text[512];
    if (!r->failed && was_refused(r, status)) {
        r->line = r->running && r->refused_line ? r->refused_line : r->line;
        if (r->refused == PH_STRING_REFUSED)
            snprintf(text, sizeof text, "a string of more than %g MB", PH_MODEL_STRING / PH_MODEL_MB);
        else if (r->refused == PH_MEMORY_REFUSED)
            snprintf(text, sizeof text, "the model uses more than %g MB", PH_MODEL_MEMORY / PH_MODEL_MB);
        else if (r->refused == PH_WORK_REFUSED)
            snprintf(text, sizeof text, PH_WORK_SENTENCE, r->work_limit);
        else
            snprintf(text, sizeof text, "not enough memory to read the model");
        compose(r, r->refused == PH_SYSTEM_REFUSED ? PH_E_MEMORY : PH_E_INPUT, text);
    } else if (!r->failed) {
        const char *message = lua_isstring(L, -1) ? lua_tostring(L, -1) : "error without a message";
        int line = take_line(r, &message);
        r->line = line ? line : r->thrown_line;
        compose(r, PH_E_INPUT, reword(message, text, sizeof text));
    }
    lua_settop(L, 0);
}

/* Where an error was thrown: messages of library functions that the sandbox guards are without a line. */
static int note_line(lua_State *L)
{
    ph_reader *r = ph_reader_of(L);
    r->thrown_line = r->running ? ph_line_of_call(L) : 0;
    return 1;
}

int ph_reader_call(ph_reader *r, lua_CFunction f, void *argument)
{
    lua_State *L = r->L;
    int bottom = lua_gettop(L) + 1;
    r->thrown_line = 0, r->refused = PH_NOT_REFUSED;
    lua_pushcfunction(L, note_line);
    lua_pushcfunction(L, f);
    lua_pushlightuserdata(L, argument);
    int status = lua_pcall(L, 1, 0, bottom);
    if (status != LUA_OK)
        ph_reader_translate(r, status);
    else
        lua_settop(L, bottom - 1);
    return status == LUA_OK;
}

/* ---- the file ---------------------------------------------------------------------------------------- */

static int ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n >= m && !strcmp(text + n - m, end);
}

/* Frozen models are JSON, and begin with a brace, which no Lua program does. */
static int is_json(const ph_reader *r)
{
    size_t i = strspn(r->source, " \t\r\n");
    return ends_with(r->def.file, ".json") || r->source[i] == '{';
}

static int make_room(ph_reader *r, size_t size)
{
    r->source = ph_alloc(r->alloc, size + 1);
    if (!r->source)
        no_memory(r);
    return r->source != NULL;
}

static ph_status read_file(ph_reader *r, const char *path)
{
    const char *why;
    size_t size;
    FILE *f =
        ph_regular_open(path, ends_with(r->def.file, ".json") ? PH_MODEL_JSON : PH_MODEL_FILE, &size, &why);
    if (!f) {
        compose(r, PH_E_INPUT, why);
        return PH_E_INPUT;
    }
    ph_status s = make_room(r, size) ? PH_OK : PH_E_MEMORY;
    if (s == PH_OK) {
        r->source_size = fread(r->source, 1, size, f);
        r->source[r->source_size] = 0;
    }
    if (s == PH_OK && ferror(f)) {
        compose(r, PH_E_INPUT, strerror(errno));
        s = PH_E_INPUT;
    }
    fclose(f);
    return s;
}

static ph_status copy_text(ph_reader *r, const char *text, size_t size)
{
    if (!make_room(r, size))
        return PH_E_MEMORY;
    memcpy(r->source, text, size);
    r->source[size] = 0;
    r->source_size = size;
    return PH_OK;
}

/* ---- running it -------------------------------------------------------------------------------------- */

#define PIECE    4096 /* bytes of a long line */
#define PER_BYTE 10   /* operations of the parser */

/* The parser gets a line or a piece of it at a time, so that we know where it is and what it costs. */
typedef struct feed {
    ph_reader *r;
    const char *text;
    size_t size, at;
    int line, late;
} feed;

static const char *next_line(lua_State *L, void *data, size_t *size)
{
    (void)L;
    feed *f = data;
    const char *line = f->text + f->at, *end = f->text + f->size;
    size_t most = (size_t)(end - line) < PIECE ? (size_t)(end - line) : PIECE;
    const char *newline = memchr(line, '\n', most);
    *size = newline ? (size_t)(newline - line) + 1 : most;
    f->late = f->late || ph_sandbox_spend(f->r, PER_BYTE * (double)*size);
    if (f->late || line == end)
        return NULL;
    f->line += f->at == 0 || line[-1] == '\n' || f->line == 0;
    f->at += *size;
    return line;
}

/* A mark of UTF-8 and a first line "#!..." are no Lua; the end of that line stays, to count lines right. */
static size_t head_length(const char *text)
{
    size_t n = strncmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    return text[n] == '#' ? n + strcspn(text + n, "\n") : n;
}

void ph_reader_load(ph_reader *r, lua_State *L, const char *text, size_t size, const char *name)
{
    feed f = {.r = r, .text = text, .size = size, .at = head_length(text)};
    if (text[f.at] == LUA_SIGNATURE[0])
        ph_reader_fail(r, "this is a compiled Lua program; a model file must be text");
    int status = lua_load(L, next_line, &f, name, "t");
    r->line = f.line;
    if (f.late)
        ph_reader_fail(r, "the file takes too long to read");
    if (status != LUA_OK) {
        r->thrown_line = f.line;
        ph_reader_translate(r, status);
        ph_reader_leave(r);
    }
    if (r->trace)
        ph_bytecode_mark(r, L, &r->trace->marked);
}

static void run_lua(ph_reader *r, lua_State *L)
{
    lua_rawgeti(L, LUA_REGISTRYINDEX, r->at.file);
    r->running = 1;
    ph_trace_read(r, L);
    lua_call(L, 0, 0);
    r->running = 0;
    r->line = 0, r->part = NULL;
}

static void keep_sets(ph_reader *r)
{
    ph_setting *own = ph_store_room(r, (size_t)r->n_sets, sizeof *own);
    for (int i = 0; i < r->n_sets; i++)
        own[i] = (ph_setting){ph_store_text(r, r->sets[i].name, strlen(r->sets[i].name)), r->sets[i].value};
    r->sets = own;
}

/* Protected: all that does not depend on parameters. */
static int prepare(lua_State *L)
{
    ph_reader *r = ph_reader_of(L);
    ph_sandbox_open(r, L);
    ph_maths_open(L);
    if (r->trace)
        ph_symbol_open(r, L);
    ph_element_open(r, L);
    ph_function_open(r, L);
    ph_outlook_open(r, L);
    ph_curve_open(r, L);
    ph_part_open(L);
    ph_host_open(r, L);
    if (!is_json(r)) {
        ph_reader_load(r, L, r->source, r->source_size, "=" CHUNK_NAME);
        r->at.file = luaL_ref(L, LUA_REGISTRYINDEX);
    }
    return 0;
}

/* Protected: all else of reading that can fail. */
static int read_all(lua_State *L)
{
    ph_reader *r = ph_reader_of(L);
    r->def.file = ph_store_text(r, r->def.file, strlen(r->def.file));
    if (is_json(r))
        ph_json_run(r, L);
    else
        run_lua(r, L);
    r->complete = 1;
    ph_reader_resolve(r, L);
    ph_trace_was_read(r, L);
    keep_sets(r);
    return 0;
}

/* Protected. */
static int trace_all(lua_State *L)
{
    ph_reader *r = ph_reader_of(L);
    ph_trace_all(r);
    for (int k = 0; k < r->fns.n && r->def.frozen; k++) {
        ph_traced *t = ((const ph_fn *)r->fns.data)[k].traced;
        ph_traced_complete(r, t);
        for (int i = 0; i < t->program->n_stretches; i++)
            atomic_store(&t->seen[i], 1); /* there is nothing to compare with */
    }
    for (int k = 0; k < r->fns.n; k++) {
        const ph_program *p = ((const ph_fn *)r->fns.data)[k].traced->program;
        r->untraced |= !p || p->untraced > 0;
    }
    ph_event_check(r);
    return 0;
}

static void drop(ph_reader *r, ph_vector *v)
{
    ph_free(r->alloc, v->data);
    *v = (ph_vector){0};
}

/* Nothing can ask for the model with other parameters, or for its functions in another Lua state. */
static int is_final(const ph_reader *r)
{
    return r->def.frozen || (r->def.n_params == 0 && r->fns.n == 0);
}

static void close_state(ph_reader *r)
{
    if (r->image)
        ph_image_leave(r);
    else if (r->L)
        lua_close(r->L);
    r->L = NULL;
}

/* What only reading needs goes. Without functions Lua goes too. */
static void tidy(ph_reader *r)
{
    drop(r, &r->refs);
    drop(r, &r->worlds);
    ph_free(r->alloc, r->initial);
    r->initial = NULL;
    if (is_final(r)) {
        ph_free(r->alloc, r->source);
        r->source = NULL;
        ph_files_drop(&r->files);
    }
    if (r->fns.n == 0 || r->def.frozen)
        close_state(r);
    else
        lua_settop(r->L, 0);
}

/* The state of Lua in which the file can run. */
static ph_status open_state(ph_reader *r)
{
    if (ph_image_enter(r))
        return PH_OK;
    ph_image_prepare(r);
    r->L = lua_newstate(ph_sandbox_alloc, r);
    if (!r->L)
        return no_memory(r);
    if (!ph_reader_call(r, prepare, NULL))
        return r->error.status;
    ph_image_take(r);
    return PH_OK;
}

static ph_status read_model(ph_reader *r, const char *path, const char *text, size_t size)
{
    ph_status s = text ? copy_text(r, text, size) : read_file(r, path);
    if (s != PH_OK)
        return s;
    r->files.key = ph_hash_bytes(PH_HASH_START, r->source, r->source_size);
    s = open_state(r);
    if (s != PH_OK)
        return s;
    if (!ph_reader_call(r, read_all, NULL))
        return r->error.status;
    if (r->trace)
        return PH_OK;
    if (!ph_reader_call(r, trace_all, NULL))
        return r->error.status;
    r->def.key = r->files.key;
    tidy(r);
    if (!r->images && !is_final(r) && !(r->images = ph_images_create(r->alloc)))
        return no_memory(r);
    return PH_OK;
}

static void free_reader(ph_reader *r)
{
    close_state(r);
    ph_reader_free_twin(r);
    ph_images_drop(r->images);
    ph_store_free(r);
    ph_free(r->alloc, r);
}

void ph_reader_free_twin(ph_reader *r)
{
    ph_reader *w = r->twin;
    r->twin = NULL;
    if (!w)
        return;
    ph_trace *t = w->trace;
    if (t) {
        ph_expr_graph_destroy(t->graph);
        ph_expr_graph_destroy(t->base);
        ph_free(w->alloc, t->value.data);
        ph_bytecode_free(w, &t->marked);
        ph_free(w->alloc, t->tree.data);
        ph_free(w->alloc, t->done.data);
        ph_free(w->alloc, t->out.data);
        ph_free(w->alloc, t);
        w->trace = NULL;
    }
    free_reader(w);
}

ph_status ph_reader_twin(ph_reader *r, const char *symbol)
{
    ph_reader *w = r->twin = ph_alloc(r->alloc, sizeof *w);
    if (!w)
        ph_reader_no_memory(r);
    *w = (ph_reader){.def = ph_default_model(),
                     .holders = 1,
                     .alloc = r->alloc,
                     .sets = r->sets,
                     .n_sets = r->n_sets,
                     .host = r->host};
    w->def.file = r->def.file;
    w->files = ph_files_again(&r->files);
    w->trace = ph_alloc(r->alloc, sizeof *w->trace);
    if (!w->trace)
        ph_reader_no_memory(r);
    *w->trace = (ph_trace){.symbol = symbol};
    w->original = r;
    ph_status s = read_model(w, r->def.file, r->source, r->source_size);
    if (s == PH_E_MEMORY)
        ph_reader_no_memory(r);
    return s;
}

ph_status ph_sets_check(const ph_setting *sets, int n, ph_error *err)
{
    if (n < 0)
        return ph_fail(err, PH_E_INPUT, "%d parameters cannot be set", n);
    if (!sets && n > 0)
        return ph_fail(err, PH_E_INPUT, "the list of parameters is NULL");
    for (int i = 0; i < n; i++)
        if (!sets[i].name)
            return ph_fail(err, PH_E_INPUT, "parameter %d of %d that are set has no name: it is NULL", i + 1,
                           n);
    return PH_OK;
}

/* first: an earlier reading of the same, with which it shares files and images; NULL: files are on the disk. */
static ph_status read_with(ph_model **out, const char *path, const char *text, size_t size,
                           const ph_reader *first, const ph_setting *sets, int n_sets, ph_host host,
                           const char *symbol, const ph_allocator *alloc, ph_error *err)
{
    *out = NULL;
    ph_status s = ph_sets_check(sets, n_sets, err);
    if (s != PH_OK)
        return s;
    ph_reader *r = ph_alloc(alloc, sizeof *r);
    if (!r)
        return ph_fail(err, PH_E_MEMORY, "%s: not enough memory to read the model", path);
    *r = (ph_reader){.def = ph_default_model(),
                     .holders = 1,
                     .alloc = alloc,
                     .sets = sets,
                     .n_sets = n_sets,
                     .host = host};
    r->def.file = path, r->symbol = symbol;
    r->files = first ? ph_files_again(&first->files) : (ph_files){.alloc = alloc};
    r->images = first ? ph_images_keep(first->images) : NULL;
    s = read_model(r, path, text, size);
    if (s != PH_OK) {
        if (err)
            *err = r->error;
        ph_model_free(&r->def);
        return s;
    }
    r->symbol = NULL; /* it is the caller's */
    *out = &r->def;
    return PH_OK;
}

ph_status ph_model_read_text(ph_model **out, const char *path, const char *text, size_t size,
                             const ph_setting *sets, int n_sets, const ph_allocator *alloc, ph_error *err)
{
    return ph_model_read_hosted(out, path, text, size, sets, n_sets, (ph_host){0}, alloc, err);
}

ph_status ph_model_read_hosted(ph_model **out, const char *path, const char *text, size_t size,
                               const ph_setting *sets, int n_sets, ph_host host, const ph_allocator *alloc,
                               ph_error *err)
{
    return read_with(out, path, text, size, NULL, sets, n_sets, host, NULL, alloc, err);
}

ph_status ph_model_read(ph_model **out, const char *path, const ph_setting *sets, int n_sets,
                        const ph_allocator *alloc, ph_error *err)
{
    return ph_model_read_text(out, path, NULL, 0, sets, n_sets, alloc, err);
}

void ph_model_free(ph_model *model)
{
    if (!model)
        return;
    ph_reader *r = (ph_reader *)model;
    if (atomic_fetch_sub(&r->holders, 1) > 1)
        return;
    free_reader(r);
}

ph_model *ph_model_keep(const ph_model *model)
{
    ph_reader *r = (ph_reader *)model; /* the count is not part of what is constant */
    atomic_fetch_add(&r->holders, 1);
    return &r->def;
}

int ph_model_has_functions(const ph_model *model)
{
    return ((const ph_reader *)model)->untraced;
}

ph_status ph_model_again(ph_model **out, const ph_model *model, const ph_setting *sets, int n_sets,
                         const ph_allocator *alloc, ph_error *err)
{
    return ph_model_near(out, model, sets, n_sets, NULL, alloc, err);
}

ph_status ph_model_near(ph_model **out, const ph_model *model, const ph_setting *sets, int n_sets,
                        const char *symbol, const ph_allocator *alloc, ph_error *err)
{
    const ph_reader *r = (const ph_reader *)model;
    *out = NULL;
    ph_status s = ph_sets_check(sets, n_sets, err);
    if (s != PH_OK)
        return s;
    if (model->frozen)
        return ph_fail(err, PH_E_INPUT, "%s: the parameters of a frozen model cannot be set", model->file);
    if (is_final(r))
        return ph_fail(err, PH_E_INPUT, "%s: the model has no parameters, and so no '%.64s'", model->file,
                       n_sets ? sets[0].name : "");
    ph_setting *all = ph_alloc(alloc, (size_t)(r->n_sets + n_sets + 1) * sizeof *all);
    if (!all)
        return ph_fail(err, PH_E_MEMORY, "%s: not enough memory to read the model", model->file);
    if (r->n_sets)
        memcpy(all, r->sets, (size_t)r->n_sets * sizeof *all);
    int n = r->n_sets;
    for (int i = 0; i < n_sets; i++) { /* in its place: models of models must not gather them */
        int k = n - 1;
        while (k >= 0 && strcmp(all[k].name, sets[i].name) != 0)
            k--; /* the last one of a name counts */
        all[k < 0 ? n++ : k] = sets[i];
    }
    s = read_with(out, model->file, r->source, r->source_size, r, all, n, r->host, symbol, alloc, err);
    ph_free(alloc, all);
    return s;
}

const char *ph_model_complaint(const ph_model *model)
{
    return ((const ph_reader *)model)->error.text;
}

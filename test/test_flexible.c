/* flexible{} of model files: the bodies it becomes, frozen models, files beside the model, memory that
 * ends. */
#include "model_file.h"

#include <sys/stat.h>

#include "fe/market.h"
#include "fe/reduce.h"
#include "polhode/polhode.h"
#ifdef PH_HAVE_HDF5
#include <hdf5.h>

#include "fe/reduced_hdf5.h"
#endif

#define BEAM                                                                                                 \
    "beam = {from = {0, 0, 0}, to = {1, 0, 0}, n = 10, section = {EA = 2.1e7, GJ = 135, EI = 175}, "         \
    "mass = {rhoA = 0.785, rhoJ = 1.30833333e-5}}"

static const char rod[] =
    "flexible{ name = 'rod', " BEAM ", interfaces = {tip = 10, mid = {5, 6}}, "
    "modes = {n = 4}, position = {1, 2, 3}, "
    "rotation = {axis = {0, 0, 1}, angle = math.pi / 2}, velocity = {1, 0, 0}, omega = {0, 0, 2} }\n"
    "body{ name = 'ball', mass = 1, inertia = {1, 1, 1} }\n";

static int find(const ph_model *m, const char *name)
{
    int k = ph_model_find(m, PH_BODIES, name);
    if (k < 0)
        fail_msg("no body '%s'", name);
    return k;
}

static void becomes_bodies(void **state)
{
    (void)state;
    ph_model *m = read_text(rod);
    assert_int_equal(m->n_flexible, 1);
    assert_int_equal(m->n_bodies, 1 + 13 + 1);
    assert_int_equal(find(m, "rod"), 0);
    const ph_body_def *frame = &m->body[0], *tip = &m->body[find(m, "rod.tip")],
                      *ten = &m->body[find(m, "rod.10")], *ball = &m->body[find(m, "ball")],
                      *mid = &m->body[find(m, "rod.mid")];
    assert_true(frame->flexible == 1 && frame->marker == 0 && tip->flexible == 1 && ball->flexible == 0);
    assert_string_equal(m->flexible[0].body->marker[tip->marker - 1].name, "tip");
    check_near(frame->mass, 0.785, 1e-15); /* round-off */
    check_near(frame->J.zz, 0.785 / 3, 1e-15);
    check_near(frame->x.y, 2, 0);
    /* a quarter turn about z: the rod is along y, and its tip moves with v + omega x X */
    check_le(ph_norm(ph_sub(tip->x, ph_v3(1, 3, 3))), 1e-15); /* round-off */
    check_le(ph_norm(ph_sub(tip->v, ph_v3(-1, 0, 0))), 1e-15);
    check_le(ph_norm(ph_sub(tip->omega, ph_v3(0, 0, 2))), 0);
    check_le(ph_norm(ph_sub(ten->x, tip->x)), 0);
    check_near(mid->x.y, 2.55, 1e-15);
    assert_true(tip->has_v && frame->has_v && frame->has_omega && tip->has_omega);
    ph_model_free(m);
}

/* Without a position the frame is where its node is; what is not given stays open. */
static void frame_node_is_the_origin(void **state)
{
    (void)state;
    ph_model *m = read_text("flexible{ name = 'rod', frame_node = 10, modes = {n = 4}, " BEAM " }");
    check_near(m->body[0].x.x, 1, 0);
    check_near(m->body[find(m, "rod.0")].x.x, 0, 1e-15); /* round-off */
    check_near(ph_reduced_centre(m->flexible[0].body).x, -0.5, 1e-14);
    assert_true(!m->body[0].has_v && !m->body[1].has_v);
    ph_model_free(m);
    m = read_text("flexible{ name = 'rod', modes = {type = 'craig-bampton', n = 6, fixed = 8}, "
                  "interfaces = {a = 0, b = 10}, " BEAM " }");
    check_near(m->body[0].x.x, 0.5, 1e-15);                      /* the centre of mass */
    check_near(m->flexible[0].body->omega[0], 334.194819, 1e-6); /* reference: an independent program */
    ph_model_free(m);
}

/* Modes by their numbers alone; damping by mass and stiffness: with M = 1 and K = omega^2 of clamped modes it is
 * alpha + beta omega^2. Those of Craig and Bampton need a number of one of the two kinds. */
static void modes_and_damping(void **state)
{
    (void)state;
    ph_model
        *all = read_text("flexible{ name = 'rod', modes = {n = 3}, " BEAM " }"),
        *m = read_text(
            "flexible{ name = 'rod', modes = {keep = {1, 3}}, damping = {alpha = 0.5, beta = 1e-3}, " BEAM
            " }");
    const ph_reduced *b = m->flexible[0].body;
    assert_int_equal(b->modes, 2);
    for (int i = 0; i < 2; i++) {
        double w = all->flexible[0].body->omega[2 * i], d = 0.5 + 1e-3 * w * w;
        check_near(b->omega[i], w, 1e-9 * w); /* round-off */
        check_near(b->Df[3 * i], d, 1e-7 * d);
    }
    ph_flexible_info info;
    ph_vec3 x;
    ph_error err;
    assert_true(ph_model_flexible(m, 0, &info) && info.modes == 2 && info.markers == 11);
    assert_false(ph_model_flexible(m, -1, &info) || ph_model_flexible(m, 1, &info));
    assert_true(ph_model_marker(m, 0, 0, &x) && !ph_model_marker(m, 0, -1, &x) &&
                !ph_model_marker(m, 0, 11, &x) && !ph_model_marker(m, 1, 0, &x));
    assert_int_equal(ph_model_write_flexible(m, 7, 0, stdout, &err), PH_E_INPUT);
    assert_string_equal(err.text, "there is no flexible body 7");
    ph_model_free(m), ph_model_free(all);
    m = read_text("flexible{ name = 'rod', modes = {type = 'craig-bampton', fixed = 2}, interfaces = {a = 0, "
                  "b = 10}, " BEAM " }");
    assert_int_equal(m->flexible[0].body->modes, 8);
    ph_model_free(m);
}

/* A frame of three members is what its matrices say: two of them in a row are one beam. */
static void members_make_a_frame(void **state)
{
    (void)state;
    ph_model *m = read_text(
        "local section, mass = {EA = 2.1e7, GJ = 135, EI = 175}, {rhoA = 0.785, rhoJ = 1.30833333e-5}\n"
        "flexible{ name = 'rod', points = {{0, 0, 0}, {0.5, 0, 0}, {1, 0, 0}}, members = {\n"
        "{nodes = {0, 1}, n = 5, section = section, mass = mass},\n"
        "{nodes = {2, 1}, n = 5, section = section, mass = mass}}, modes = {n = 4} }");
    check_near(m->flexible[0].body->omega[0], 52.497100786, 1e-8); /* reference: an independent program */
    check_near(m->flexible[0].body->omega[3], 329.004322640, 1e-7);
    check_near(m->body[find(m, "rod.2")].x.x, 1, 0);
    check_near(m->body[find(m, "rod.3")].x.x, 0.1, 1e-15); /* round-off */
    ph_model_free(m);
}

/* ---- frozen ---------------------------------------------------------------------------------------- */

static void same_bits(const char *what, const double *a, const double *b, size_t n)
{
    if (memcmp(a, b, n * sizeof *a))
        fail_msg("%s differs", what);
}

static void same_body(const ph_reduced *a, const ph_reduced *b)
{
    size_t n = (size_t)a->modes, size = 6 + 4 * n;
    assert_int_equal(a->modes, b->modes);
    assert_int_equal(a->n_markers, b->n_markers);
    same_bits("calM", a->calM, b->calM, size * size);
    same_bits("Kf", a->Kf, b->Kf, n * n);
    same_bits("Df", a->Df, b->Df, n * n);
    same_bits("omega", a->omega, b->omega, n);
    assert_true(!a->KG == !b->KG);
    if (a->KG)
        same_bits("KG", a->KG, b->KG, (size_t)(PH_KG_MARKERS + 3 * a->n_markers) * n * n);
    for (int k = 0; k < a->n_markers; k++) {
        assert_string_equal(a->marker[k].name, b->marker[k].name);
        assert_memory_equal(&a->marker[k].X, &b->marker[k].X, sizeof(ph_vec3));
        same_bits("Psi", a->marker[k].Psi, b->marker[k].Psi, 3 * n);
        same_bits("Th", a->marker[k].Th, b->marker[k].Th, 3 * n);
    }
}

static ph_model *thaw(const ph_model *m)
{
    char *text = NULL;
    size_t size = 0;
    ph_model *out;
    ph_error err = {0};
    FILE *f = open_memstream(&text, &size);
    assert_int_equal(ph_model_freeze(m, f, &err), PH_OK);
    fclose(f);
    if (read_named(&out, "model.json", text, size, NULL, 0, NULL, &err) != PH_OK)
        fail_msg("%s", err.text);
    free(text);
    return out;
}

/* Bit for bit, and in the order of the bodies, with and without stress stiffness. */
static void frozen_models_have_it(void **state)
{
    (void)state;
    for (int trial = 0; trial < 2; trial++) {
        char text[1024];
        snprintf(text, sizeof text,
                 "body{ name = 'first', mass = 1, inertia = {1, 1, 1} }\n%s"
                 "flexible{ name = 'two', modes = {n = 3}, geometric_stiffness = %s, damping = {ratio = "
                 "0.01}, " BEAM " }",
                 rod, trial ? "true" : "false");
        ph_model *a = read_text(text), *b = thaw(a);
        assert_int_equal(a->n_bodies, b->n_bodies);
        assert_int_equal(b->n_flexible, 2);
        assert_true((a->flexible[1].body->KG != NULL) == trial);
        for (int k = 0; k < 2; k++)
            same_body(a->flexible[k].body, b->flexible[k].body);
        for (int k = 0; k < a->n_bodies; k++) {
            assert_string_equal(a->body[k].name, b->body[k].name);
            assert_true(a->body[k].flexible == b->body[k].flexible && a->body[k].marker == b->body[k].marker);
            assert_memory_equal(&a->body[k].x, &b->body[k].x, sizeof(ph_vec3));
            assert_memory_equal(&a->body[k].v, &b->body[k].v, sizeof(ph_vec3));
            assert_memory_equal(&a->body[k].R, &b->body[k].R, sizeof(ph_quat));
            assert_memory_equal(&a->body[k].J, &b->body[k].J, sizeof(ph_mat3));
            assert_true(a->body[k].has_v == b->body[k].has_v && a->body[k].has_omega == b->body[k].has_omega);
        }
        ph_model_free(a);
        ph_model_free(b);
    }
}

/* ---- files ----------------------------------------------------------------------------------------- */

static void write_matrix(const char *dir, const char *name, const ph_csc *A)
{
    char path[256];
    int n = 0;
    snprintf(path, sizeof path, "%s/%s", dir, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    for (int j = 0; j < A->columns; j++)
        for (int k = A->p[j]; k < A->p[j + 1]; k++)
            n += A->i[k] >= j;
    fprintf(f, "%%%%MatrixMarket matrix coordinate real symmetric\n%% test\n%d %d %d\n", A->rows, A->columns,
            n);
    for (int j = 0; j < A->columns; j++)
        for (int k = A->p[j]; k < A->p[j + 1]; k++)
            if (A->i[k] >= j)
                fprintf(f, "%d %d %.17g\n", A->i[k] + 1, j + 1, A->x[k]);
    fclose(f);
}

static void write_nodes(const char *dir, const ph_fe *fe)
{
    char path[256];
    snprintf(path, sizeof path, "%s/nodes.csv", dir);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fprintf(f, "id,x,y,z\n");
    for (int i = 0; i < fe->n_nodes; i++)
        fprintf(f, "%d,%.17g,%.17g,%.17g\n", fe->id[i] + 1, fe->X[3 * i], fe->X[3 * i + 1], fe->X[3 * i + 2]);
    fclose(f);
}

typedef struct folder {
    char dir[64];
} folder;

static const char *const files[] = {"M.mtx",  "K.mtx",     "nodes.csv", "Psi.mtx",
                                    "KG.mtx", "model.lua", "body.json", "body.h5"};

/* The bar of 10 elements as files; its nodes have the numbers 1 to 11 there. */
static folder folder_create(void)
{
    folder d = {"/tmp/polhode_test_XXXXXX"};
    ph_fe fe;
    double points[6] = {0, 0, 0, 1, 0, 0};
    ph_fe_member m = {.to = 1, .n = 10, .section = {2.1e7, 135, {175, 175}, 0.785, {1.30833333e-5, 0, 0}}};
    assert_non_null(mkdtemp(d.dir));
    assert_int_equal(ph_fe_frame(&fe, NULL, 2, points, 1, &m, NULL), PH_OK);
    write_matrix(d.dir, "M.mtx", &fe.M);
    write_matrix(d.dir, "K.mtx", &fe.K);
    write_nodes(d.dir, &fe);
    ph_fe_free(&fe);
    return d;
}

static void folder_write(const folder *d, const char *name, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", d->dir, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static void folder_remove(const folder *d)
{
    for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
        char path[256];
        snprintf(path, sizeof path, "%s/%s", d->dir, files[k]);
        unlink(path);
    }
    rmdir(d->dir);
}

static ph_status folder_read(const folder *d, const char *text, ph_model **m, ph_error *err)
{
    char path[256];
    folder_write(d, "model.lua", text);
    snprintf(path, sizeof path, "%s/model.lua", d->dir);
    return ph_model_read(m, path, NULL, 0, NULL, err);
}

static ph_model *folder_model(const folder *d, const char *text)
{
    ph_model *m;
    ph_error err = {0};
    if (folder_read(d, text, &m, &err) != PH_OK)
        fail_msg("%s", err.text);
    return m;
}

static void folder_refuse(const folder *d, const char *text, const char *words)
{
    ph_model *m;
    ph_error err = {0};
    assert_int_equal(folder_read(d, text, &m, &err), PH_E_INPUT);
    assert_null(m);
    if (!strstr(err.text, words))
        fail_msg("'%s' does not contain '%s'", err.text, words);
}

#define FILES "mass = 'M.mtx', stiffness = 'K.mtx', nodes = 'nodes.csv', dofs = 6"

/* The same body from files and from the generator. */
static void matrices_of_files(void **state)
{
    (void)state;
    folder d = folder_create();
    ph_model *a = folder_model(
                 &d,
                 "flexible{ name = 'rod', frame_node = 1, interfaces = {tip = 11}, modes = {n = 6}, " FILES
                 " }"),
             *b = read_text("flexible{ name = 'rod', interfaces = {tip = 10}, modes = {n = 6}, " BEAM " }");
    const ph_reduced *x = a->flexible[0].body, *y = b->flexible[0].body;
    assert_int_equal(x->n_markers, 2);
    assert_string_equal(x->marker[0].name, "1");
    assert_null(x->KG);
    for (int k = 0; k < 6; k++)
        check_near(x->omega[k], y->omega[k], 0); /* exact: 17 digits give matrices back */
    same_bits("calM", x->calM, y->calM, 30 * 30);
    same_bits("Psi", x->marker[1].Psi, y->marker[11].Psi, 18);
    ph_model_free(a);
    ph_model_free(b);
    folder_remove(&d);
}

/* Modes and stress stiffness of files, of the load cases they say. */
static void modes_and_stress_of_files(void **state)
{
    (void)state;
    folder d = folder_create();
    ph_pool pool = {0};
    ph_csc K;
    char path[256], text[8192] = "%%MatrixMarket matrix array real general\n66 2\n";
    snprintf(path, sizeof path, "%s/K.mtx", d.dir);
    assert_int_equal(ph_market_symmetric(&pool, NULL, path, 66, &K, NULL), PH_OK);
    write_matrix(d.dir, "KG.mtx", &K);
    for (int k = 0; k < 2; k++) /* x^2 and x^3 along y, with their slopes */
        for (int i = 0; i < 66; i++) {
            double x = (double)(i / 6) / 10, v = k ? x * x * x : x * x, slope = k ? 3 * x * x : 2 * x;
            snprintf(text + strlen(text), 32, "%.17g\n", i % 6 == 1 ? v : i % 6 == 5 ? slope : 0);
        }
    folder_write(&d, "Psi.mtx", text);
    ph_model *m = folder_model(
        &d, "flexible{ name = 'rod', frame_node = 1, interfaces = {tip = 11}, modes = 'Psi.mtx', " FILES
            ", geometric_stiffness = {omega_zz = 'KG.mtx', ['tip.fx'] = 'KG.mtx'} }");
    const ph_reduced *r = m->flexible[0].body;
    /* EI integral of v''^2: 4, 6, 12 times 175; cubic elements have them */
    const double exact[4] = {4 * 175, 6 * 175, 6 * 175, 12 * 175};
    check_le(max_diff(r->Kf, exact, 4), 1e-8);         /* round-off: stiffnesses of 1e7 cancel */
    check_near(r->calM[6 * 14 + 6], 0.785 / 5, 1e-15); /* round-off: integral of x^4 */
    same_bits("KG", ph_reduced_KG(r, PH_KG_SPINS + 2), r->Kf, 4);
    same_bits("KG", ph_reduced_KG(r, PH_KG_MARKERS + 3), r->Kf, 4);
    for (int k = 0; k < 4; k++)
        assert_true(ph_reduced_KG(r, PH_KG_SPINS + 1)[k] == 0);
    ph_model_free(m);
    m = folder_model(&d, "flexible{ name = 'rod', frame_node = 1, modes = 'Psi.mtx', " FILES
                         ", geometric_stiffness = 'KG.mtx' }");
    r = m->flexible[0].body;
    same_bits("KG", ph_reduced_KG(r, PH_KG_SPINS + 1), r->Kf, 4);
    same_bits("KG", ph_reduced_KG(r, PH_KG_SPINS + 2), r->Kf, 4);
    ph_model_free(m);
    ph_pool_free(&pool);
    folder_remove(&d);
}

static void bad_files(void **state)
{
    (void)state;
    folder d = folder_create();
    folder_refuse(
        &d, "flexible{ name = 'rod', frame_node = 1, modes = {n = 2}, mass = 'M.mtx', nodes = 'nodes.csv' }",
        "model.lua:1: flexible 'rod': mass, stiffness and nodes belong together; stiffness is missing");
    folder_refuse(&d, "flexible{ name = 'rod', modes = {n = 2}, " FILES " }", "frame_node is missing");
    folder_refuse(&d, "flexible{ name = 'rod', frame_node = 0, modes = {n = 2}, " FILES " }",
                  "frame_node: there is no node 0");
    folder_refuse(&d,
                  "flexible{ name = 'rod', frame_node = 1, modes = {n = 2}, mass = 'M.mtx', stiffness = "
                  "'K.mtx', nodes = "
                  "'nodes.csv' }",
                  "M.mtx:3: the matrix has 66 rows, and 33 are expected");
    folder_refuse(
        &d,
        "flexible{ name = 'rod', frame_node = 1, modes = {n = 2}, geometric_stiffness = true, " FILES " }",
        "is for beam and members");
    folder_refuse(&d,
                  "flexible{ name = 'rod', frame_node = 1, modes = {n = 2}, geometric_stiffness = {spin = "
                  "'K.mtx'}, " FILES " }",
                  "there is no load case 'spin'");
    folder_refuse(&d, "flexible{ name = 'rod', frame_node = 1, modes = 'none.mtx', " FILES " }",
                  "none.mtx': No such file");
    folder_refuse(&d, "flexible{ name = 'rod', file = 'none.json' }", "none.json': No such file");
    folder_write(
        &d, "Psi.mtx",
        "%%MatrixMarket matrix coordinate real general\n66 1 11\n2 1 1\n8 1 1\n14 1 1\n20 1 1\n26 1 1\n"
        "32 1 1\n38 1 1\n44 1 1\n50 1 1\n56 1 1\n62 1 1\n");
    folder_refuse(&d, "flexible{ name = 'rod', frame_node = 1, modes = 'Psi.mtx', " FILES " }",
                  "mode 1 is a rigid motion");
    folder_write(&d, "Psi.mtx", "%%MatrixMarket matrix coordinate real general\n66 1 2\n2 1 1\n67 1 1\n");
    folder_refuse(&d, "flexible{ name = 'rod', frame_node = 1, modes = 'Psi.mtx', " FILES " }",
                  "Psi.mtx:4: entry (67, 1) is outside of a matrix of 66 x 1");
    folder_write(&d, "Psi.mtx", "%%MatrixMarket matrix coordinate real general\n66 1 2\n2 1 1\n14 1 2\n");
    folder_refuse(&d, "flexible{ name = 'rod', modes = 'Psi.mtx', geometric_stiffness = true, " BEAM " }",
                  "Psi.mtx: modes that neither stand still at frame_node nor are without momentum have no "
                  "geometric_stiffness; give false");
    folder_remove(&d);
}

/* ---- reduced bodies of files ----------------------------------------------------------------------- */

/* What a file holds is read bit for bit; every place where it may be cut is an error and no more. */
static void reduced_files(void **state)
{
    (void)state;
    folder d = folder_create();
    ph_model *a = read_text(rod), *b;
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    ph_reduced_put(a->flexible[0].body, f);
    fclose(f);
    folder_write(&d, "body.json", text);
    b = folder_model(&d, "flexible{ name = 'rod', file = 'body.json' }");
    same_body(a->flexible[0].body, b->flexible[0].body);
    check_le(ph_norm(b->body[0].x), 0);
    ph_model_free(b);
    for (size_t cut = 0; cut + 1 < size; cut += 1 + size / 97) {
        char keep = text[cut];
        text[cut] = 0;
        folder_write(&d, "body.json", text);
        folder_refuse(&d, "flexible{ name = 'rod', file = 'body.json' }", "body.json");
        text[cut] = keep;
    }
    folder_refuse(&d, "flexible{ name = 'rod', file = 'body.json', modes = {n = 2} }",
                  "only its place can be given");
    free(text);
    ph_model_free(a);
    folder_remove(&d);
}

static void bad_reduced(void **state)
{
    (void)state;
    static const char head[] =
        "flexible{ name = 'a', reduced = {modes = 1, omega = {1}, Kf = {1}, Df = {0}, markers = {}, calM = ";
    static const struct {
        const char *calM, *rest, *words;
    } rows[] = {{"{1}", "}", "calM of reduced must be a list of 100 numbers, not 1"},
                {"M(1, 1)", ", colour = 1}", "reduced has no 'colour'"},
                {"M(0, 1)", "}",
                 "calM is not positive definite, which shows in row 7: a mode that is a rigid motion?"},
                {"M(1, 0)", "}", "calM is not positive definite, which shows in row 1"},
                {"M(1, 1, nil, 0.5)", "}", "calM is not that of a body, in row 1, column 4"},
                {"M(1, 1, 2)", "}", "calM is not symmetric, in row 9, column 1"},
                {"M(1, 1)", ", KG = {{1}}}", "KG of reduced must be a list of 12 matrices"}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        char text[1024];
        snprintf(text, sizeof text,
                 "local function M(mode, m, extra, moment)\n local A = {}\n for i = 1, 100 do A[i] = (i - 1) "
                 "%% 11 "
                 "== 0 and (i == 67 and "
                 "mode or m) or 0 end\n A[81] = extra or 0\n A[4], A[31] = moment or 0, moment or 0\n return "
                 "A\nend\n%s%s%s }",
                 head, rows[k].calM, rows[k].rest);
        refuse_text("model.lua", text, rows[k].words);
    }
}

/* ---- memory ---------------------------------------------------------------------------------------- */

#ifdef PH_HAVE_HDF5
/* A file in which the place of a marker is a list: more than there is room for. */
static void hdf5_with_a_list_of_orders(void **state)
{
    (void)state;
    static const int many[4096] = {0};
    const hsize_t n = 4096;
    folder d = folder_create();
    char path[256];
    snprintf(path, sizeof path, "%s/body.h5", d.dir);
    ph_model *m = folder_model(&d, rod);
    FILE *to = fopen(path, "wb");
    assert_true(to && ph_reduced_write_hdf5(m->flexible[0].body, to, NULL) == PH_OK && fclose(to) == 0);
    ph_model_free(m);
    ph_model_free(folder_model(&d, "flexible{ name = 'rod', file = 'body.h5' }"));
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT),
          marker = H5Gopen2(file, "markers/tip", H5P_DEFAULT), space = H5Screate_simple(1, &n, NULL);
    assert_true(H5Adelete(marker, "order") >= 0);
    hid_t a = H5Acreate2(marker, "order", H5T_STD_I32LE, space, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(H5Awrite(a, H5T_NATIVE_INT, many) >= 0);
    H5Aclose(a), H5Sclose(space), H5Gclose(marker);
    assert_true(H5Fclose(file) >= 0);
    folder_refuse(&d, "flexible{ name = 'rod', file = 'body.h5' }", "body.h5' is not a reduced body");
    folder_remove(&d);
}
#endif

static void memory_may_end(void **state)
{
    (void)state;
    static const char text[] = "flexible{ name = 'rod', beam = {from = {0, 0, 0}, to = {1, 0, 0}, n = 2, "
                               "section = {EA = 2e7, GJ = 135, "
                               "EI = 175}, mass = {rhoA = 0.785, rhoJ = 1e-5}}, interfaces = {a = 0, b = 2}, "
                               "damping = {ratio = 0.01}, "
                               "modes = {type = 'craig-bampton', n = 2} }";
    counter c = {0};
    ph_allocator alloc = {counter_alloc, counter_free, &c};
    ph_model *m;
    ph_error err;
    assert_int_equal(read_named(&m, "model.lua", text, strlen(text), NULL, 0, &alloc, &err), PH_OK);
    ph_model_free(m);
    assert_int_equal(c.live, 0);
    long calls = c.calls;
    for (long k = 1; k <= calls; k++) {
        c = (counter){.fail_at = k, .for_good = 1};
        assert_int_equal(read_named(&m, "model.lua", text, strlen(text), NULL, 0, &alloc, &err), PH_E_MEMORY);
        assert_int_equal(c.live, 0);
    }
}

/* Friction of a joint at a marker depends on multipliers, through the modes too: its tangents are those of differences. */
static void friction_at_a_marker(void **state)
{
    (void)state;
    ph_model *m = read_text("gravity {0.3, 0.2, -9.81}\n"
                            "flexible{ name = 'rod', " BEAM ", interfaces = {tip = 10}, modes = {n = 4} }\n"
                            "body{ name = 'arm', mass = 1, inertia = {0.1, 0.2, 0.3}, position = {1.5, 0, "
                            "0}, omega = {0, 2, 0} }\n"
                            "joint{ name = 'pin', type = 'revolute', bodies = {'ground', 'rod'}, at = {0, 0, "
                            "0}, axis = {0, 1, 0} }\n"
                            "joint{ name = 'elbow', type = 'revolute', bodies = {'rod.tip', 'arm'}, at = {1, "
                            "0, 0}, axis = {0, 1, 0},\n"
                            "       friction = 0.3, friction_radius = 0.05, friction_speed = 0.1 }\n"
                            "run{ t_end = 1, h = 1e-3, assemble = true }\n");
    ph_run *run;
    ph_error err = {0};
    ph_check worst;
    if (ph_run_create(&run, m, NULL, &err) != PH_OK || ph_run_until(run, 0.02, &err) != PH_OK)
        fail_msg("%s", err.text);
    ph_state s = ph_run_state(run);
    assert_int_equal(ph_system_check(ph_run_system(run), s.t, s.q, s.v, s.vdot, s.lambda, &worst, &err),
                     PH_OK);
    if (!(worst.error <= 1e-6)) /* derivative */
        fail_msg("%s: %g instead of %g", worst.what, worst.given, worst.differenced);
    ph_run_close(run);
    ph_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(becomes_bodies),
        cmocka_unit_test(friction_at_a_marker),
        cmocka_unit_test(frame_node_is_the_origin),
        cmocka_unit_test(modes_and_damping),
        cmocka_unit_test(members_make_a_frame),
        cmocka_unit_test(frozen_models_have_it),
        cmocka_unit_test(matrices_of_files),
        cmocka_unit_test(modes_and_stress_of_files),
        cmocka_unit_test(bad_files),
        cmocka_unit_test(reduced_files),
        cmocka_unit_test(bad_reduced),
#ifdef PH_HAVE_HDF5
        cmocka_unit_test(hdf5_with_a_list_of_orders),
#endif
        cmocka_unit_test(memory_may_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

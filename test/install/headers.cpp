// All public headers as C++17.
#include <polhode/base.h>
#include <polhode/compile.h>
#include <polhode/equilibrium.h>
#include <polhode/language.h>
#include <polhode/lie.h>
#include <polhode/model.h>
#include <polhode/polhode.h>
#include <polhode/run.h>
#include <polhode/sens.h>
#include <polhode/sim.h>
#include <polhode/system.h>
#include <polhode/vec.h>

int main()
{
    ph_vec3 a = ph_cross(ph_v3(1, 0, 0), ph_v3(0, 1, 0));
    ph_mat3 A = ph_minv(ph_mmul(ph_qmat(ph_quat{1, 0, 0, 0}), ph_diag3(2, 2, 2)));
    ph_options opt = ph_default_options();
    ph_model *model = nullptr;
    ph_run *run = nullptr;
    ph_model_free(model);
    ph_run_close(run);
    return a.z == 1 && A.xx == 0.5 && opt.method ? 0 : 1; // exact
}

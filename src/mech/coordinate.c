/* Coordinates of joints, as the library calls them: along.h. */
#include "mech/coordinate.h"

int ph_joint_frees(const ph_joint *j)
{
    int n = 0;
    for (int k = 0; k < PH_COORDINATES; k++)
        n += (int)(j->frees >> k & 1);
    return n;
}

int ph_joint_free(const ph_joint *j, int k)
{
    int c = 0;
    while (c < PH_COORDINATES && (!(j->frees >> c & 1) || k-- > 0))
        c++;
    return c < PH_COORDINATES ? c : -1;
}

int ph_joint_place(const ph_joint *j, int coordinate)
{
    int n = 0;
    if (coordinate < 0 || !(j->frees >> coordinate & 1))
        return -1;
    for (int k = 0; k < coordinate; k++)
        n += (int)(j->frees >> k & 1);
    return n;
}

double ph_coordinate_value(const ph_site *s, int k)
{
    return k < 0 ? NAN : ph_along_value(s, k);
}

double ph_coordinate_rate(const ph_site *s, int k)
{
    return k < 0 ? NAN : ph_along_rate(s, k);
}

void ph_coordinate_row(const ph_site *s, int k, ph_vec3 b[PH_SLOTS])
{
    ph_along_row(s, k, b);
}

void ph_coordinate_z(const ph_site *s, int k, ph_vec3 z[PH_SLOTS])
{
    ph_along_z(s, k, z);
}

void ph_coordinate_K(const ph_site *s, int k, double f, const ph_put *p)
{
    ph_along_K(s, k, f, p);
}

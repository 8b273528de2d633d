/* A user's program: public headers, the library, and an inline function that needs libm. */
#include <polhode/base.h>
#include <polhode/lie.h>

#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    (void)argv;
    if (strcmp(ph_version(), PH_VERSION) != 0 || ph_group_dim(PH_SE3, 0) != 6)
        return 1;
    if (!(ph_norm(ph_v3(3 * argc, 4 * argc, 0)) == 5 * argc)) /* exact */
        return 1;
    printf("%s\n", ph_version());
    return 0;
}

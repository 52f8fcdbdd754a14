import { rawScript, type Script } from '../../../model/script.ts';

/**
 * kxg_tree: prints one digest of all that is below the current directory: names, types, modes, link targets and contents.
 * Equal trees give equal digests when the same machine reads both. Owners are left out.
 */
export const TREE_FUNCTION: Script = rawScript(`kxg_tree() {
  { find . -type f -exec sha256sum {} +
    find . ! -type l -exec stat -c '%f %n' {} +
    find . -type l -exec sh -c 'for l; do printf "%s -> " "$l"; readlink -- "$l"; done' sh {} +
  } | LC_ALL=C sort | { kxg_d=$(sha256sum); printf '%s\\n' "\${kxg_d%% *}"; }
}`);

import { posix } from '../../host/lib/text.ts';
import { lines, rawScript, type Script, sh } from '../../model/script.ts';
import { type Finding, finding } from './finding.ts';
import { LIMITS } from './limits.ts';

/**
 * Writes what etcd writes for a small change, fifty times or for three seconds, each time waiting for the disk; prints
 * microseconds per write. Next to where the directory will be; the file is gone afterwards. A machine of a cluster is left
 * alone: its etcd is at work.
 */
export function syncScript(dir: string): Script {
  return lines(
    sh`kxp_dir=${dir}`,
    rawScript(posix`
[ -z "$(kx_manifest_owner)" ] || exit 0
while [ ! -d "$kxp_dir" ]; do kxp_dir=\${kxp_dir%/*}; done
kxp_file=\${kxp_dir%/}/.kubexm-preflight.$$
trap 'rm -f -- "$kxp_file"' EXIT
kxp_start=$(date +%s%N)
timeout 3 dd if=/dev/zero of="$kxp_file" bs=2300 count=50 oflag=dsync 2>/dev/null
kxp_end=$(date +%s%N)
# A machine under load may not have come to make the file.
kxp_size=$(stat -c %s -- "$kxp_file" 2>/dev/null) || kxp_size=0
kxp_count=$((kxp_size / 2300))
case $kxp_start in *[!0-9]*) exit 0 ;; esac
[ "$kxp_count" -lt 1 ] || echo $(((kxp_end - kxp_start) / 1000 / kxp_count))`),
  );
}

/** Whether etcd's disk is slow. What was not measured is not judged. */
export function syncFindings(measured: Readonly<Record<string, { readonly stdout: string }>>, path: string) {
  return Object.entries(measured).flatMap(([host, { stdout }]): readonly Finding[] => {
    const ms = Number.parseInt(stdout, 10) / 1000;
    if (!(ms > LIMITS.fsyncMs)) return [];
    return [finding('KX4547', 'warning', host, { path, limit: LIMITS.fsyncMs }, `${Math.round(ms)} ms`)];
  });
}

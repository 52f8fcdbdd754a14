import { createHash } from 'node:crypto';
import { lines, rawScript, type Script, sh } from '../../model/script.ts';
import { compact, posix } from '../lib/text.ts';

/** What `beginReboot` found: the boot that is to end, or that it has ended already. */
export type RebootBegun = { readonly boot: string } | 'done';

/** The note of a restart that was asked for: its name tells what for, its line which boot is to end and by which run. */
function markOf(reason: string): Script {
  const id = createHash('sha256').update(reason).digest('hex').slice(0, 12);
  return sh`kxr_mark="$KX_STATE"/reboot/${id}`;
}

const FORGET = rawScript('{ rm -f "$kxr_mark"; rmdir "$KX_STATE/reboot" "$KX_STATE" 2>/dev/null; true; }');

/**
 * Notes durably which boot is to end, and for which run: the one that holds the machine's lock. If the same run has noted that
 * before and the machine has restarted since, then the restart has happened while nobody watched: the note is removed,
 * and it is not done again. A note of another run says nothing: nobody knows what was changed between its boot and now.
 */
export function beginReboot(reason: string): Script {
  return lines(
    markOf(reason),
    sh`read -r kxr_boot </proc/sys/kernel/random/boot_id || exit
kxr_run=; { read -r kxr_x kxr_run <"$KX_RUN/lock.owner"; } 2>/dev/null
kxr_was= kxr_by=; { read -r kxr_was kxr_by <"$kxr_mark"; } 2>/dev/null
if [ -n "$kxr_was" ] && [ "$kxr_was" != "$kxr_boot" ] && [ -n "$kxr_run" ] && [ "$kxr_by" = "$kxr_run" ]; then
  ${FORGET}; echo done; exit
fi
mkdir -p "$KX_STATE/reboot" && printf '%s %s\\n' "$kxr_boot" "$kxr_run" >"$kxr_mark.new" && mv -f "$kxr_mark.new" "$kxr_mark" || exit
sync -f "$kxr_mark" 2>/dev/null || sync
echo "boot $kxr_boot"`,
  );
}

/** What `beginReboot` printed; undefined when it makes no sense. */
export function parseBegun(stdout: string): RebootBegun | undefined {
  if (stdout.trim() === 'done') return 'done';
  const boot = /^boot ([0-9a-f-]{36})$/m.exec(stdout)?.[1];
  return boot === undefined ? undefined : { boot };
}

/** Asks the machine to restart, in an orderly way, and does not wait for it. */
export function startReboot(): Script {
  return sh`if [ -d /run/systemd/system ] && command -v systemctl >/dev/null; then
  systemctl --no-block --no-ask-password reboot
elif command -v shutdown >/dev/null; then
  shutdown -r now
else
  reboot
fi`;
}

/** Whether the boot has ended: prints `same`, or takes the note away and prints `new`. */
export function lookAfterReboot(reason: string, boot: string): Script {
  return lines(
    markOf(reason),
    sh`read -r kxr_boot </proc/sys/kernel/random/boot_id || exit
if [ "$kxr_boot" = ${boot} ]; then echo same; else ${FORGET}; echo new; fi`,
  );
}

/** Takes the note away: the restart was refused. */
export function forgetReboot(reason: string): Script {
  return lines(markOf(reason), FORGET);
}

/** Waits until the system has started what it starts with, or so many seconds: one unit that hangs holds nobody up for ever. */
export function waitForBoot(seconds: number): Script {
  return sh`[ -d /run/systemd/system ] || exit 0
kx_uptime; kxr_end=$((kx_up + ${seconds}))
while [ "$kx_up" -lt "$kxr_end" ]; do
  case $(systemctl is-system-running 2>/dev/null) in initializing | starting | '') ;; *) exit 0 ;; esac
  sleep 1
  kx_uptime
done`;
}

/**
 * A read-only script that prints why a machine should be restarted, one reason a line: what Debian, SUSE and Red Hat leave
 * behind, and a kernel whose modules are gone because another one was installed in its place.
 */
export function lookForReboot(): Script {
  return rawScript(
    compact(posix`
for kxr_f in /run/reboot-required /run/reboot-needed; do
  [ ! -e "$kxr_f" ] || echo "$kxr_f is there"
done
if command -v needs-restarting >/dev/null; then
  ! needs-restarting -r 2>/dev/null | grep -q 'Reboot is required' || echo 'needs-restarting says so'
elif command -v zypper >/dev/null && [ ! -e /run/reboot-needed ]; then
  zypper --quiet needs-rebooting >/dev/null 2>&1
  [ $? != 102 ] || echo 'zypper says so'
fi
# A container runs with the kernel of another machine.
if [ ! -e /run/systemd/container ]; then
  kxr_kernel=$(uname -r) kxr_other=
  if [ ! -d "/lib/modules/$kxr_kernel" ]; then
    for kxr_f in /lib/modules/*/modules.dep; do [ ! -e "$kxr_f" ] || kxr_other=$kxr_f; done
    [ -z "$kxr_other" ] || echo "the modules of the running kernel $kxr_kernel are gone"
  fi
fi
exit 0
`),
  );
}

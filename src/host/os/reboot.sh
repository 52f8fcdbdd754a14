# shellcheck shell=dash
# Restarts. The note of one that was asked for is $KX_STATE/reboot/ID: its name tells what for, its line which boot is to end and by
# which run.

# ID: takes the note away.
kxr_forget() {
  rm -f "$KX_STATE/reboot/$1"
  rmdir "$KX_STATE/reboot" "$KX_STATE" 2>/dev/null
  return 0
}

# ID: notes durably which boot is to end, and for which run: the one that holds the machine's lock. Prints "boot ID". If the same
# run has noted that before and the machine has restarted since, then the restart has happened while nobody watched: the note is
# removed, and "done" printed. A note of another run says nothing: nobody knows what was changed between its boot and now.
kxr_begin() {
  local note="$KX_STATE/reboot/$1" boot='' run='' was='' by='' token=''
  read -r boot </proc/sys/kernel/random/boot_id || return
  { read -r token run <"$KX_RUN/lock.owner"; } 2>/dev/null
  { read -r was by <"$note"; } 2>/dev/null
  if [ -n "$was" ] && [ "$was" != "$boot" ] && [ -n "$run" ] && [ "$by" = "$run" ]; then
    kxr_forget "$1"
    echo 'done'
    return
  fi
  mkdir -p "$KX_STATE/reboot" && printf '%s %s\n' "$boot" "$run" >"$note.new" && mv -f "$note.new" "$note" || return
  sync -f "$note" 2>/dev/null || sync
  echo "boot $boot"
}

# Asks the machine to restart, in an orderly way, and does not wait for it.
kxr_start() {
  if [ -d /run/systemd/system ] && command -v systemctl >/dev/null; then
    systemctl --no-block --no-ask-password reboot
  elif command -v shutdown >/dev/null; then
    shutdown -r now
  else
    reboot
  fi
}

# ID BOOT: whether the boot has ended: prints "same", or takes the note away and prints "new".
kxr_after() {
  local boot=''
  read -r boot </proc/sys/kernel/random/boot_id || return
  if [ "$boot" = "$2" ]; then
    echo same
  else
    kxr_forget "$1"
    echo new
  fi
}

# SECONDS: waits until the system has started what it starts with, or so long: one unit that hangs holds nobody up for ever.
kxr_wait() {
  local end=''
  [ -d /run/systemd/system ] || return 0
  kx_uptime
  end=$((kx_up + $1))
  while [ "$kx_up" -lt "$end" ]; do
    case $(systemctl is-system-running 2>/dev/null) in initializing | starting | '') ;; *) return 0 ;; esac
    sleep 1
    kx_uptime
  done
}

# Why the machine should be restarted, one reason a line: what Debian, SUSE and Red Hat leave behind, and a kernel whose modules
# are gone because another one was installed in its place.
kxr_reasons() {
  local file='' kernel='' other=''
  for file in /run/reboot-required /run/reboot-needed; do
    [ ! -e "$file" ] || echo "$file is there"
  done
  if command -v needs-restarting >/dev/null; then
    ! needs-restarting -r 2>/dev/null | grep -q 'Reboot is required' || echo 'needs-restarting says so'
  elif command -v zypper >/dev/null && [ ! -e /run/reboot-needed ]; then
    zypper --quiet needs-rebooting >/dev/null 2>&1
    [ $? != 102 ] || echo 'zypper says so'
  fi
  # A container runs with the kernel of another machine.
  if [ ! -e /run/systemd/container ]; then
    kernel=$(uname -r)
    if [ ! -d "/lib/modules/$kernel" ]; then
      for file in /lib/modules/*/modules.dep; do [ ! -e "$file" ] || other=$file; done
      [ -z "$other" ] || echo "the modules of the running kernel $kernel are gone"
    fi
  fi
  return 0
}

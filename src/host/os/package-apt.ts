import { compact, posix } from '../lib/text.ts';

/** Debian and what comes from it: apt and dpkg. */
export const aptFunctions = compact(posix`
kxp_ready() {
  export DEBIAN_FRONTEND=noninteractive DEBIAN_PRIORITY=critical APT_LISTCHANGES_FRONTEND=none UCF_FORCE_CONFFOLD=1
  export NEEDRESTART_SUSPEND=1 NEEDRESTART_MODE=l
  kxp_err=$kxp_record/err
}

# Somebody else may be installing just now: an upgrade at night, another tool. It is waited for.
kxp_locked() { grep -qE 'Could not get lock|Unable to (acquire|lock)|is another process using it|locked by another process' "$kxp_err"; }

kxp_patiently() {
  kx_uptime
  kxp_until=$((kx_up + kxp_patience))
  while :; do
    "$@" 2>"$kxp_err"
    kxp_code=$?
    kx_uptime
    if [ "$kxp_code" = 0 ] || ! kxp_locked || [ "$kx_up" -ge "$kxp_until" ]; then break; fi
    echo 'waiting for another package manager'
    sleep 3
  done
  cat "$kxp_err" >&2
  return "$kxp_code"
}

# The simulation gets exactly the options of the real run.
kxp_get() {
  apt-get -y -q -o DPkg::Lock::Timeout="$kxp_patience" -o Dpkg::Use-Pty=0 -o DPkg::Path="$kxp_record/bin:$PATH" \
    -o Dpkg::Options::=--force-confdef -o Dpkg::Options::=--force-confold -o APT::Install-Recommends=false \
    -o APT::Install-Suggests=false -o APT::Keep-Downloaded-Packages=false -o APT::Get::AutomaticRemove=false "$@"
}

kxp_apt() { kxp_patiently kxp_get "$@"; }

kxp_by_dpkg() { PATH="$kxp_record/bin:$PATH" dpkg "$@"; }

# What a killed run has left half unpacked is brought to an end first.
kxp_repair() {
  set -- "$kxp_dpkg"/updates/[0-9]*
  if [ -e "$1" ] || [ -n "$(dpkg --audit)" ]; then
    kxp_patiently kxp_by_dpkg --force-confdef --force-confold --configure -a || kxp_apt -f install
  fi
}

# The lists are fetched only when they are missing, or do not have what is asked for.
kxp_refresh() {
  [ -z "$kxp_refreshed" ] || return 1
  kxp_refreshed=yes
  kxp_apt update
}

kxp_has_lists() {
  for kxp_x in "$kxp_lists"/*_Packages*; do [ ! -e "$kxp_x" ] || return 0; done
  return 1
}

# NAME VERSION: the full version of what is meant, in kxp_v: the very one, or one that only adds a revision or an epoch.
kxp_version() {
  kxp_v=$(apt-cache madison "$1" 2>/dev/null | awk -F' *[|] *' -v want="$2" '
    { full = $2; bare = full; sub(/^[0-9]+:/, "", bare); up = bare; sub(/-[^-]*$/, "", up) }
    full == want || bare == want || up == want { print full; exit }')
  [ -n "$kxp_v" ]
}

# NAME VERSION: adds it to what apt is asked for. Fails when the lists do not have this version.
kxp_want() {
  kxp_is=$(dpkg-query -W -f='\${db:Status-Abbrev}' "$1" 2>/dev/null)
  if [ -z "$2" ]; then
    case $kxp_is in ?i*) ;; *) kxp_specs="$kxp_specs $1" ;; esac
    return 0
  fi
  kxp_version "$1" "$2" || return 1
  kxp_specs="$kxp_specs $1=$kxp_v" kxp_held=--allow-change-held-packages
}

kxp_unwanted() {
  case $(dpkg-query -W -f='\${db:Status-Abbrev}' "$1" 2>/dev/null) in '' | ?[nc]*) ;; *) kxp_specs="$kxp_specs $1-" ;; esac
}

kxp_go() {
  kxp_policy_on
  kxp_repair || return
  kxp_has_lists || kxp_refresh
  kxp_specs= kxp_held=
  kxp_choose || { kxp_refresh && kxp_specs= && kxp_choose; } || {
    echo "no source of this machine has $kxp_missing" >&2
    return 1
  }
  [ -n "$kxp_specs" ] || return 0
  kxp_fetch
  kxp_apt --allow-downgrades $kxp_held install $kxp_specs && return
  # The lists may be older than what the mirror has, or know nothing of it.
  grep -qE 'Unable to locate|no installation candidate|was not found|Unable to fetch|404' "$kxp_err" || return 1
  kxp_refresh && kxp_apt --allow-downgrades $kxp_held install $kxp_specs
}

# Which packages apt would take away, in kxp_away; which it would change, in kxp_other. Fails where apt would.
kxp_simulate() {
  kxp_said=$(kxp_get -s "$@" 2>"$kxp_err")
  kxp_code=$?
  kxp_away=$(printf '%s\n' "$kxp_said" | sed -n 's/^\(Remv\|Purg\) \([^ ]*\) .*/\2/p')
  kxp_other=$(printf '%s\n' "$kxp_said" | sed -n 's/^Inst \([^ ]*\) \[.*/\1/p')
  [ "$kxp_code" = 0 ] && ! grep -q '^E:' "$kxp_err"
}

# What is going to be taken away or changed is kept as a file, where it still can be had: mirrors forget old versions.
kxp_fetch() {
  kxp_simulate --allow-downgrades $kxp_held install $kxp_specs || return 0
  for kxp_x in $kxp_away $kxp_other; do
    kxp_v=$(dpkg-query -W -f='\${Version}' "$kxp_x") && mkdir -p "$kxp_t/debs/$kxp_x" || continue
    (cd "$kxp_t/debs/$kxp_x" && apt-get -q download "$kxp_x=$kxp_v") >/dev/null 2>&1
  done
  kxp_sync "$kxp_t"
}

# NAME=VERSION: what brings it back, in kxp_v: the file that was kept, or its version in the lists.
kxp_source() {
  for kxp_v in "$kxp_t/debs/\${1%%=*}"/*.deb; do [ ! -f "$kxp_v" ] || return 0; done
  kxp_version "\${1%%=*}" "\${1#*=}" || { kxp_refresh && kxp_version "\${1%%=*}" "\${1#*=}"; } && kxp_v=$1
}

# Removes installed packages and restores removed ones. Packages that others need by now stay and are reported. kxp_back: NAME|SOURCE.
kxp_swap() {
  kxp_policy_on
  kxp_repair || return
  kxp_back=
  for kxp_x in $kxp_went $kxp_changed; do
    if kxp_source "$kxp_x"; then
      kxp_back="$kxp_back \${kxp_x%%=*}|$kxp_v"
    else
      echo "no repository has the version $kxp_x"
      case " $kxp_went " in *" $kxp_x "*) kxp_back="$kxp_back \${kxp_x%%=*}|\${kxp_x%%=*}" ;; esac
    fi
  done
  kxp_directly
  case $? in
    0) ;;
    # Somebody else has been installing all the time: apt would wait as long once more.
    2) return 1 ;;
    *)
      kxp_list >"$kxp_t/now" && kxp_find_came || return
      kxp_keep
      [ -z "$kxp_back$kxp_came" ] || kxp_turn kxp_apt || return
      ;;
  esac
  kxp_purge
}

# The same without apt, which takes twice as long: where nothing changes its version, nobody else needs what came, as dpkg says,
# and what went was kept and fits. Whatever fails is left to apt.
kxp_directly() {
  [ -z "$kxp_changed" ] || return 1
  set --
  for kxp_x in $kxp_back; do
    case \${kxp_x#*|} in /*.deb) set -- "$@" "\${kxp_x#*|}" ;; *) return 1 ;; esac
  done
  if [ -n "$kxp_came" ]; then
    kxp_how=--remove
    kxp_keeps_configs || kxp_how=--purge
    dpkg --no-act $kxp_how $kxp_came >/dev/null 2>&1 || return 1
    # apt would remember for ever that they came by themselves.
    kxp_manual "$kxp_t" >"$kxp_t/manual.now"
    kxp_to=$(printf '%s\n' $kxp_came | grep -vxF -f "$kxp_t/manual.now")
    [ -z "$kxp_to" ] || kxp_mark manual "$kxp_to" 2>/dev/null || return 1
    kxp_alone $kxp_how $kxp_came || {
      kxp_code=$?
      [ -z "$kxp_to" ] || kxp_mark auto "$kxp_to" 2>/dev/null
      return "$kxp_code"
    }
    kxp_came=
  fi
  [ "$#" = 0 ] && return
  kxp_fits "$@" || return 1
  kxp_alone --force-confdef --force-confold --install "$@"
}

# FILE…: whether what comes back needs nothing else and is in nobody's way. All is as it was before, then it is; else apt knows.
kxp_fits() {
  { kxp_list && printf '%s\n' $kxp_went; } | sort | cmp -s - "$kxp_t/before" && return
  kxp_simulate install "$@" && [ -z "$kxp_away$kxp_other" ] || return 1
  for kxp_x in $(printf '%s\n' "$kxp_said" | sed -n 's/^Inst \([^ ]*\) .*/\1/p'); do
    case "$kxp_back " in *" $kxp_x|"*) ;; *) return 1 ;; esac
  done
}

# WORDS: dpkg by itself. 1: it cannot; 2: somebody else holds its lock, which is reported.
kxp_alone() {
  kxp_patiently kxp_by_dpkg "$@" 2>/dev/null && return
  kxp_locked || return 1
  cat "$kxp_err" >&2
  return 2
}

# Whether configuration of what came stays: it goes along, unless some of it was there before.
kxp_keeps_configs() {
  printf '%s\n' $kxp_came | grep -qxF -f "$kxp_t/left"
  [ "$?" != 1 ]
}

# COMMAND: what came goes and what went comes back, all at once.
kxp_turn() {
  set -- "$@" --allow-downgrades --allow-change-held-packages
  kxp_keeps_configs || set -- "$@" --purge
  set -- "$@" install
  for kxp_x in $kxp_back; do set -- "$@" "\${kxp_x#*|}"; done
  for kxp_x in $kxp_came; do set -- "$@" "$kxp_x-"; done
  "$@"
}

# Whether that would touch nothing of others: what it would, in kxp_hit.
kxp_clean() {
  kxp_hit=
  kxp_turn kxp_simulate || { kxp_hit='what is held back'; return 1; }
  kxp_mine=" $kxp_came "
  for kxp_x in $kxp_back; do kxp_mine="$kxp_mine\${kxp_x%%|*} "; done
  for kxp_x in $kxp_away $kxp_other; do case $kxp_mine in *" $kxp_x "*) ;; *) kxp_hit=$kxp_x; return 1 ;; esac; done
}

# Others may have installed something since that needs what came, or that what went cannot be together with: then what is
# there stays. First of what came, then of what is to come back; in the end all of it.
kxp_keep() {
  kxp_clean && return
  kxp_rest=
  for kxp_one in $kxp_came; do
    kxp_hit=
    kxp_simulate --allow-downgrades --allow-change-held-packages install "$kxp_one-" || kxp_hit='what is held back'
    for kxp_x in $kxp_away; do case " $kxp_came " in *" $kxp_x "*) ;; *) kxp_hit=$kxp_x ;; esac; done
    if [ -n "$kxp_hit" ]; then echo "$kxp_one stays: $kxp_hit needs it"; else kxp_rest="$kxp_rest $kxp_one"; fi
  done
  kxp_came=$kxp_rest
  while [ -n "$kxp_back" ] && ! kxp_clean; do kxp_withdraw; done
  [ -z "$kxp_came" ] || kxp_clean || {
    for kxp_x in $kxp_came; do echo "$kxp_x stays: it cannot go without $kxp_hit"; done
    kxp_came=
  }
}

# Takes one out of kxp_back: one without which the rest is clean; else one that is not clean alone; else the first.
kxp_withdraw() {
  kxp_all=$kxp_back kxp_why=$kxp_hit kxp_out=
  for kxp_one in $kxp_all; do
    kxp_without "$kxp_one"
    if kxp_clean; then kxp_out=$kxp_one; break; fi
  done
  if [ -z "$kxp_out" ]; then
    for kxp_one in $kxp_all; do
      kxp_back=" $kxp_one"
      if ! kxp_clean; then kxp_out=$kxp_one kxp_why=$kxp_hit; break; fi
    done
  fi
  [ -n "$kxp_out" ] || for kxp_out in $kxp_all; do break; done
  kxp_without "$kxp_out"
  echo "\${kxp_out%%|*} stays as it is: its old version cannot be together with $kxp_why"
}

kxp_without() {
  kxp_back=
  for kxp_x in $kxp_all; do [ "$kxp_x" = "$1" ] || kxp_back="$kxp_back $kxp_x"; done
}

# Configuration that is still there goes too, unless it was there before the package came.
kxp_purge() {
  [ -r "$kxp_t/left" ] || return 0
  set --
  for kxp_x in $(kxp_left); do
    case " $kxp_gone " in *" $kxp_x "*) grep -qxF -e "$kxp_x" "$kxp_t/left" || set -- "$@" "$kxp_x" ;; esac
  done
  [ "$#" = 0 ] || kxp_patiently kxp_by_dpkg --purge "$@"
}

kxp_files() { dpkg -L "$@"; }
kxp_configs() { dpkg-query -W -f='\${Conffiles}\n' "$1" | grep '^ /'; }
kxp_mark() { apt-mark "$1" $2 >/dev/null; }
`);

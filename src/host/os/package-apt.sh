# shellcheck shell=dash
# shellcheck disable=SC2086 # lists of names are several words
# Debian and what comes from it: apt and dpkg. What every function knows is said in package-record.sh.

# Before anything else. What programs complain about goes to kxp_err.
kxp_ready() {
  export DEBIAN_FRONTEND=noninteractive DEBIAN_PRIORITY=critical APT_LISTCHANGES_FRONTEND=none UCF_FORCE_CONFFOLD=1
  export NEEDRESTART_SUSPEND=1 NEEDRESTART_MODE=l
  kxp_err=$kxp_record/err
}

# Whether somebody else was installing, as kxp_err says.
kxp_locked() { grep -qE 'Could not get lock|Unable to (acquire|lock)|is another process using it|locked by another process' "$kxp_err"; }

# COMMAND…: runs it, again and again while somebody else is installing: an upgrade at night, another tool.
kxp_patiently() {
  local end='' code=''
  kx_uptime
  end=$((kx_up + kxp_patience))
  while :; do
    "$@" 2>"$kxp_err"
    code=$?
    kx_uptime
    if [ "$code" = 0 ] || ! kxp_locked || [ "$kx_up" -ge "$end" ]; then break; fi
    echo 'waiting for another package manager'
    sleep 3
  done
  cat "$kxp_err" >&2
  return "$code"
}

# WORD…: apt-get. The simulation gets exactly the options of the real run.
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

# Whether there are lists of packages.
kxp_has_lists() {
  local file=''
  for file in "$kxp_lists"/*_Packages*; do [ ! -e "$file" ] || return 0; done
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
  local is=''
  is=$(dpkg-query -W -f='${db:Status-Abbrev}' "$1" 2>/dev/null)
  if [ -z "$2" ]; then
    case $is in ?i*) ;; *) kxp_specs="$kxp_specs $1" ;; esac
    return 0
  fi
  kxp_version "$1" "$2" || return 1
  kxp_specs="$kxp_specs $1=$kxp_v" kxp_held=--allow-change-held-packages
}

# NAME: asks apt to take it away, if it is there.
kxp_unwanted() {
  case $(dpkg-query -W -f='${db:Status-Abbrev}' "$1" 2>/dev/null) in '' | ?[nc]*) ;; *) kxp_specs="$kxp_specs $1-" ;; esac
}

# WORD…: installs and removes what kxp_choose understands.
kxp_go() {
  kxp_policy_on
  kxp_repair || return
  kxp_has_lists || kxp_refresh
  kxp_specs='' kxp_held=''
  kxp_choose "$@" || { kxp_refresh && kxp_specs='' && kxp_choose "$@"; } || {
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
  local code=''
  kxp_said=$(kxp_get -s "$@" 2>"$kxp_err")
  code=$?
  kxp_away=$(printf '%s\n' "$kxp_said" | sed -n 's/^\(Remv\|Purg\) \([^ ]*\) .*/\2/p')
  kxp_other=$(printf '%s\n' "$kxp_said" | sed -n 's/^Inst \([^ ]*\) \[.*/\1/p')
  [ "$code" = 0 ] && ! grep -q '^E:' "$kxp_err"
}

# What is going to be taken away or changed is kept as a file, where it still can be had: mirrors forget old versions.
kxp_fetch() {
  local x=''
  kxp_simulate --allow-downgrades $kxp_held install $kxp_specs || return 0
  for x in $kxp_away $kxp_other; do
    kxp_v=$(dpkg-query -W -f='${Version}' "$x") && mkdir -p "$kxp_t/debs/$x" || continue
    (cd "$kxp_t/debs/$x" && apt-get -q download "$x=$kxp_v") >/dev/null 2>&1
  done
  kxp_sync "$kxp_t"
}

# NAME=VERSION: what brings it back, in kxp_v: the file that was kept, or its version in the lists.
kxp_source() {
  for kxp_v in "$kxp_t/debs/${1%%=*}"/*.deb; do [ ! -f "$kxp_v" ] || return 0; done
  kxp_version "${1%%=*}" "${1#*=}" || { kxp_refresh && kxp_version "${1%%=*}" "${1#*=}"; } && kxp_v=$1
}

# Removes installed packages and restores removed ones. Packages that others need by now stay and are reported. kxp_back: NAME|SOURCE.
kxp_swap() {
  local x=''
  kxp_policy_on
  kxp_repair || return
  kxp_back=''
  for x in $kxp_went $kxp_changed; do
    if kxp_source "$x"; then
      kxp_back="$kxp_back ${x%%=*}|$kxp_v"
    else
      kx_report left "no repository has the version $x"
      case " $kxp_went " in *" $x "*) kxp_back="$kxp_back ${x%%=*}|${x%%=*}" ;; esac
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
  local x='' how='' to='' code=''
  [ -z "$kxp_changed" ] || return 1
  set --
  for x in $kxp_back; do
    case ${x#*|} in /*.deb) set -- "$@" "${x#*|}" ;; *) return 1 ;; esac
  done
  if [ -n "$kxp_came" ]; then
    how=--remove
    kxp_keeps_configs || how=--purge
    dpkg --no-act $how $kxp_came >/dev/null 2>&1 || return 1
    # apt would remember for ever that they came by themselves.
    kxp_manual "$kxp_t" >"$kxp_t/manual.now"
    to=$(printf '%s\n' $kxp_came | grep -vxF -f "$kxp_t/manual.now")
    [ -z "$to" ] || kxp_mark manual "$to" 2>/dev/null || return 1
    kxp_alone $how $kxp_came || {
      code=$?
      [ -z "$to" ] || kxp_mark auto "$to" 2>/dev/null
      return "$code"
    }
    kxp_came=''
  fi
  [ "$#" = 0 ] && return
  kxp_fits "$@" || return 1
  kxp_alone --force-confdef --force-confold --install "$@"
}

# FILE…: whether what comes back needs nothing else and is in nobody's way. All is as it was before, then it is; else apt knows.
kxp_fits() {
  local x=''
  { kxp_list && printf '%s\n' $kxp_went; } | sort | cmp -s - "$kxp_t/before" && return
  kxp_simulate install "$@" && [ -z "$kxp_away$kxp_other" ] || return 1
  for x in $(printf '%s\n' "$kxp_said" | sed -n 's/^Inst \([^ ]*\) .*/\1/p'); do
    case "$kxp_back " in *" $x|"*) ;; *) return 1 ;; esac
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
  local x=''
  set -- "$@" --allow-downgrades --allow-change-held-packages
  kxp_keeps_configs || set -- "$@" --purge
  set -- "$@" install
  for x in $kxp_back; do set -- "$@" "${x#*|}"; done
  for x in $kxp_came; do set -- "$@" "$x-"; done
  "$@"
}

# Whether that would touch nothing of others: what it would, in kxp_hit.
kxp_clean() {
  local mine='' x=''
  kxp_hit=''
  kxp_turn kxp_simulate || {
    kxp_hit='what is held back'
    return 1
  }
  mine=" $kxp_came "
  for x in $kxp_back; do mine="$mine${x%%|*} "; done
  for x in $kxp_away $kxp_other; do
    case $mine in *" $x "*) continue ;; esac
    kxp_hit=$x
    return 1
  done
}

# Others may have installed something since that needs what came, or that what went cannot be together with: then what is
# there stays. First of what came, then of what is to come back; in the end all of it.
kxp_keep() {
  local rest='' one='' x=''
  kxp_clean && return
  for one in $kxp_came; do
    kxp_hit=''
    kxp_simulate --allow-downgrades --allow-change-held-packages install "$one-" || kxp_hit='what is held back'
    for x in $kxp_away; do
      case " $kxp_came " in *" $x "*) ;; *) kxp_hit=$x ;; esac
    done
    if [ -n "$kxp_hit" ]; then kx_report left "$one stays: $kxp_hit needs it"; else rest="$rest $one"; fi
  done
  kxp_came=$rest
  while [ -n "$kxp_back" ] && ! kxp_clean; do kxp_withdraw; done
  [ -z "$kxp_came" ] || kxp_clean || {
    for x in $kxp_came; do kx_report left "$x stays: it cannot go without $kxp_hit"; done
    kxp_came=''
  }
}

# Takes one out of kxp_back: one without which the rest is clean; else one that is not clean alone; else the first.
kxp_withdraw() {
  local all="$kxp_back" why="$kxp_hit" out='' one=''
  for one in $all; do
    kxp_without "$one" "$all"
    if kxp_clean; then
      out=$one
      break
    fi
  done
  if [ -z "$out" ]; then
    for one in $all; do
      kxp_back=" $one"
      if ! kxp_clean; then
        out=$one why=$kxp_hit
        break
      fi
    done
  fi
  [ -n "$out" ] || for out in $all; do break; done
  kxp_without "$out" "$all"
  kx_report left "${out%%|*} stays as it is: its old version cannot be together with $why"
}

# ONE ALL: kxp_back is ALL but for ONE.
kxp_without() {
  local x=''
  kxp_back=''
  for x in $2; do [ "$x" = "$1" ] || kxp_back="$kxp_back $x"; done
}

# Configuration that is still there goes too, unless it was there before the package came.
kxp_purge() {
  local x=''
  [ -r "$kxp_t/left" ] || return 0
  set --
  for x in $(kxp_left); do
    case " $kxp_gone " in *" $x "*) grep -qxF -e "$x" "$kxp_t/left" || set -- "$@" "$x" ;; esac
  done
  [ "$#" = 0 ] || kxp_patiently kxp_by_dpkg --purge "$@"
}

# NAME…: the files of packages.
kxp_files() { dpkg -L "$@"; }

# NAME: the configuration files of a package, each with its digest.
kxp_configs() { dpkg-query -W -f='${Conffiles}\n' "$1" | grep '^ /'; }

# auto|manual NAMES: marks packages as asked for by a person, or not.
kxp_mark() { apt-mark "$1" $2 >/dev/null; }

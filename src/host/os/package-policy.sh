# shellcheck shell=dash
# Debian starts what it installs, unless /usr/sbin/policy-rc.d says no. Ours says no to units that did not run before, and
# only while the process that has put it there lives: if it stays behind after a power cut, it allows everything. What was
# there before is kept beside it, has its say in every start, and is put back.
#
# Every package also makes systemd reload all units, which takes longer than the package itself: a systemctl of ours, which
# only the scripts of packages find, remembers that somebody asked; it is done before something starts, and in the end.

# From now on nothing starts by itself.
kxp_policy_on() {
  local self='' real=''
  kxp_policy_off
  if [ -e "$kxp_policy" ] || [ -L "$kxp_policy" ]; then
    mv -f "$kxp_policy" "$kxp_policy.kubexm-kept" || kxp_fail "cannot move $kxp_policy"
  fi
  : >"$kxp_record/running"
  [ ! -d /run/systemd/system ] || systemctl list-units --all --state=active --plain --no-legend --no-pager |
    awk '{ print $1 }' >"$kxp_record/running"
  # $$ would be the shell that this script is a part of.
  self=$(exec sh -c 'echo "$PPID"') && kx_proc "$self" || kxp_fail 'there is no /proc'
  {
    printf '#!/bin/sh\n# Written by kubexm while it installs packages: nothing starts by itself.\n'
    printf 'self=%s born=%s active=%s\n' "$self" "$kx_born" "$kxp_record/running"
    cat <<'KXP_POLICY'
living() {
{ IFS= read -r line </proc/$self/stat; } 2>/dev/null || return
set -- ${line##*) }
[ "${20}" = "$born" ]
}
kept=$0.kubexm-kept unit="" action=""
for word do case $word in -*) ;; *) if [ -z "$unit" ]; then unit=$word; elif [ -z "$action" ]; then action=$word; fi ;; esac; done
# What is removed must not go on running, whatever was decided before.
if living; then case $action in stop | force-stop) exit 0 ;; esac; fi
[ ! -x "$kept" ] || "$kept" "$@" || exit
living || exit 0
case $unit in *.*) ;; *) unit=$unit.service ;; esac
grep -qxF -e "$unit" "$active" 2>/dev/null && exit 0
exit 101
KXP_POLICY
  } >"$kxp_policy.kubexm-new" && chmod 755 "$kxp_policy.kubexm-new" && mv -f "$kxp_policy.kubexm-new" "$kxp_policy" ||
    kxp_fail "cannot write $kxp_policy"
  real=$(command -v systemctl) && mkdir -p "$kxp_record/bin" || return 0
  {
    printf '#!/bin/sh\nreal=%s\n' "$real"
    cat <<'KXP_SYSTEMCTL'
asked=${0%/*}/asked
case " $* " in
*' --user '* | *' --global '* | *' -M '* | *' --machine'*) ;;
*' daemon-reload '*) : >"$asked"; exit ;;
# What starts now starts as its unit is now.
*start' '* | *' reload'* | *'reload '* | *' --now '*) [ ! -e "$asked" ] || { rm -f "$asked"; "$real" daemon-reload; } ;;
esac
exec "$real" "$@"
KXP_SYSTEMCTL
  } >"$kxp_record/bin/systemctl" && chmod 755 "$kxp_record/bin" "$kxp_record/bin/systemctl"
}

# All is as it was.
kxp_policy_off() {
  if [ -f "$kxp_policy" ] && grep -q '^# Written by kubexm' "$kxp_policy" 2>/dev/null; then rm -f "$kxp_policy"; fi
  if { [ -e "$kxp_policy.kubexm-kept" ] || [ -L "$kxp_policy.kubexm-kept" ]; } && [ ! -e "$kxp_policy" ]; then
    mv -f "$kxp_policy.kubexm-kept" "$kxp_policy"
  fi
  rm -f "$kxp_policy.kubexm-new"
  [ ! -e "$kxp_record/bin/asked" ] || [ ! -d /run/systemd/system ] || systemctl daemon-reload
  rm -rf "${kxp_record:?}/bin"
}

# shellcheck shell=dash

# The package manager, in kxp: apt, dnf, yum, zypper or none.
kxp_find() {
  kxp=none
  if command -v apt-get >/dev/null && command -v dpkg-query >/dev/null; then
    kxp=apt
  elif command -v zypper >/dev/null && { ! command -v dnf >/dev/null || grep -qi '^ID.*suse' /etc/os-release; } 2>/dev/null; then
    kxp=zypper
  elif command -v dnf >/dev/null; then
    kxp=dnf
  elif command -v yum >/dev/null; then
    kxp=yum
  fi
}

# RECORD NAME…: what `parsePackages` reads: about packages, and about transactions that are noted in RECORD.
kxp_look() {
  local record="$1" noted=0
  shift
  kxp_find
  echo "manager $kxp"
  while [ -d "$record/$((noted + 1))" ]; do noted=$((noted + 1)); done
  echo "noted $noted"
  [ ! -e "$record/expected" ] || echo expected
  case $kxp in
    apt) dpkg-query -W -f='package ${db:Status-Status} ${Package} ${Version}\n' -- "$@" 2>/dev/null ;;
    none) ;;
    *) rpm -q --qf 'package installed %{NAME} %{EPOCHNUM}:%{VERSION}-%{RELEASE}\n' -- "$@" 2>/dev/null ;;
  esac
  return 0
}

# shellcheck shell=dash

# What is held back from upgrades, in the words of the package manager.
kxp_holds() {
  kxp_find
  echo "manager $kxp"
  case $kxp in
    apt) apt-mark showhold ;;
    dnf) dnf -q -C versionlock list ;;
    yum) yum -q -C versionlock list ;;
    zypper) zypper --quiet --no-refresh locks ;;
  esac 2>/dev/null
  return 0
}

# hold|unhold NAME: holds a package back from upgrades, or lets it go. Ends the script if it cannot.
kxp_hold() {
  local code=''
  case $kxp/$1 in
    apt/*) apt-mark "$1" "$2" >/dev/null ;;
    dnf/hold | yum/hold) $kxp -q -y versionlock add "$2" >/dev/null ;;
    # One that was not held is no failure; the check that follows sees what is.
    dnf/unhold) dnf -q -y versionlock delete "$2" >/dev/null 2>&1 || : ;;
    yum/unhold) yum -q -y versionlock delete "*:$2-*" >/dev/null 2>&1 || : ;;
    zypper/hold) zypper --quiet --non-interactive addlock "$2" >/dev/null ;;
    zypper/unhold) zypper --quiet --non-interactive removelock "$2" >/dev/null ;;
    *)
      echo 'there is neither apt nor dnf, yum or zypper on this machine' >&2
      exit 1
      ;;
  esac || {
    code=$?
    case $kxp in dnf | yum) echo "is the plugin versionlock of $kxp installed?" >&2 ;; esac
    exit "$code"
  }
}

# shellcheck shell=dash
# shellcheck disable=SC2086 # lists of names are several words
# Red Hat, SUSE and what comes from them: rpm under dnf, yum or zypper.

# Before anything else.
kxp_ready() {
  export ZYPP_LOCK_TIMEOUT="$kxp_patience"
}

# Nothing of these families starts by itself when it is installed.
kxp_policy_off() { :; }

# VERB ARGUMENT…: the package manager, without questions. zypper tells news with codes from 100 on; all is well then, but 104
# means that nothing has the name.
kxp_pm() {
  local code=''
  case $kxp in
    dnf) dnf -y -q --setopt=install_weak_deps=False --setopt=clean_requirements_on_remove=False "$@" ;;
    yum) yum -y -q --setopt=clean_requirements_on_remove=0 "$@" ;;
    zypper)
      zypper --non-interactive --quiet "$@"
      code=$?
      case $code in 0 | 100 | 101 | 102 | 103 | 106) return 0 ;; *) return "$code" ;; esac
      ;;
  esac
}

# SPEC…: installs packages; what is in their way goes.
kxp_install() {
  case $kxp in
    dnf) kxp_pm install --allowerasing --setopt=disable_excludes='*' "$@" ;;
    yum) kxp_pm install --disableexcludes=all "$@" ;;
    zypper) kxp_pm install --no-recommends --force-resolution --oldpackage "$@" ;;
  esac
}

# SPEC…: the same, but at the cost of nothing else: what is in the way is somebody else's by then.
kxp_bring() {
  case $kxp in
    dnf) kxp_pm install --setopt=disable_excludes='*' "$@" ;;
    yum) kxp_pm install --disableexcludes=all "$@" ;;
    zypper) kxp_pm install --no-recommends --oldpackage "$@" ;;
  esac
}

# NAME…: removes packages, and nothing else.
kxp_remove() {
  case $kxp in
    dnf | yum) kxp_pm remove "$@" ;;
    zypper) kxp_pm remove --no-clean-deps "$@" ;;
  esac
}

# NAME.ARCH=EPOCH:VERSION-RELEASE: as the package manager wants to read it.
kxp_spec() {
  local name='' evr='' a='' e='' vr=''
  name=${1%%=*} evr=${1#*=}
  a=${name##*.} name=${name%.*}
  e=${evr%%:*} vr=${evr#*:}
  case $kxp in
    dnf) echo "$name-$evr.$a" ;;
    yum) echo "$e:$name-$vr.$a" ;;
    zypper) if [ "$e" = 0 ]; then echo "$name.$a=$vr"; else echo "$name.$a=$evr"; fi ;;
  esac
}

# NAME VERSION: adds it to what is asked for.
kxp_want() {
  if [ -z "$2" ]; then
    rpm -q "$1" >/dev/null 2>&1 || kxp_specs="$kxp_specs $1"
  elif [ $kxp = zypper ]; then
    kxp_specs="$kxp_specs $1=$2"
  else
    kxp_specs="$kxp_specs $1-$2" kxp_older="$kxp_older $1-$2"
  fi
}

# NAME: adds it to what goes, if it is there.
kxp_unwanted() { ! rpm -q "$1" >/dev/null 2>&1 || kxp_off="$kxp_off $1"; }

# WORD…: installs and removes what kxp_choose understands. yum goes back to an older version only with an explicit downgrade.
kxp_go() {
  local x=''
  kxp_specs='' kxp_off='' kxp_older=''
  kxp_choose "$@"
  [ -z "$kxp_off" ] || kxp_remove $kxp_off || return
  [ -n "$kxp_specs" ] || return 0
  if ! kxp_install $kxp_specs; then
    case $kxp in
      dnf | yum) kxp_pm clean expire-cache ;;
      zypper) kxp_pm refresh ;;
    esac
    kxp_install $kxp_specs || return
  fi
  [ $kxp = yum ] || return 0
  for x in $kxp_older; do rpm -q "$x" >/dev/null 2>&1 || kxp_pm downgrade "$x" || return; done
}

# Removes installed packages and restores removed ones. Packages that others need by now stay and are reported.
kxp_swap() {
  local x=''
  kxp_keep
  if [ -n "$kxp_came" ]; then
    # Configuration that was changed is kept aside when a package goes: with the package it goes too.
    rpm -qc $kxp_came 2>/dev/null | grep '^/' >"$kxp_record/err"
    kxp_remove $kxp_came || return
    while IFS= read -r x; do [ -e "$x" ] || rm -f -- "$x.rpmsave"; done <"$kxp_record/err"
  fi
  for x in $kxp_went $kxp_changed; do
    kxp_bring "$(kxp_spec "$x")" || { [ $kxp = yum ] && kxp_pm downgrade "$(kxp_spec "$x")"; } || {
      kx_report left "the version $x is not restored: no repository has it, or it conflicts with a package installed since"
      case " $kxp_went " in *" $x "*) kxp_bring "${x%%=*}" || : ;; esac
    }
  done
}

# Others may have installed something that needs what came: then that stays too, and what it needs.
kxp_keep() {
  local full='' rest='' stays='' one='' x=''
  while [ -n "$kxp_came" ] && ! rpm -e --test $kxp_came 2>/dev/null; do
    full=$(rpm -q --qf '%{NAME}-%{VERSION}-%{RELEASE}.%{ARCH}\n' $kxp_came)
    rest='' stays=''
    for one in $kxp_came; do
      kxp_hit=''
      for x in $(rpm -e --test "$one" 2>&1 | sed -n 's/.* is needed by (installed) //p'); do
        printf '%s\n' "$full" | grep -qxF -e "$x" || kxp_hit=$x
      done
      if [ -z "$kxp_hit" ]; then
        rest="$rest $one"
      else
        kx_report left "$one stays: $kxp_hit needs it"
        stays=yes
      fi
    done
    [ -n "$stays" ] || break
    kxp_came=$rest
  done
}

# NAME…: the files of packages.
kxp_files() { rpm -ql "$@"; }

# NAME: the configuration files of a package.
kxp_configs() { rpm -qc "$1" | grep '^/'; }

# auto|manual NAMES: marks packages as asked for by a person, or not.
kxp_mark() {
  local x=''
  case $kxp/$1 in
    dnf/auto) dnf -q -y mark remove $2 2>/dev/null || dnf -q -y mark dependency $2 ;;
    dnf/manual) dnf -q -y mark install $2 2>/dev/null || dnf -q -y mark user $2 ;;
    zypper/auto) for x in $2; do echo "${x%.*}"; done >>"$kxp_auto" ;;
  esac >/dev/null 2>&1
  return 0
}

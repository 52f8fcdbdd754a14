import { compact, posix } from '../lib/text.ts';

/** Red Hat, SUSE and what comes from them: rpm under dnf, yum or zypper. */
export const rpmFunctions = compact(posix`
kxp_ready() {
  export ZYPP_LOCK_TIMEOUT="$kxp_patience"
}

kxp_policy_off() { :; }

# VERB ARGUMENT…: the package manager, without questions. zypper tells news with codes from 100 on; all is well then, but 104
# means that nothing has the name.
kxp_pm() {
  case $kxp in
    dnf) dnf -y -q --setopt=install_weak_deps=False --setopt=clean_requirements_on_remove=False "$@" ;;
    yum) yum -y -q --setopt=clean_requirements_on_remove=0 "$@" ;;
    zypper)
      zypper --non-interactive --quiet "$@"
      kxp_code=$?
      case $kxp_code in 0 | 100 | 101 | 102 | 103 | 106) return 0 ;; *) return "$kxp_code" ;; esac
      ;;
  esac
}

kxp_install() {
  case $kxp in
    dnf) kxp_pm install --allowerasing --setopt=disable_excludes='*' "$@" ;;
    yum) kxp_pm install --disableexcludes=all "$@" ;;
    zypper) kxp_pm install --no-recommends --force-resolution --oldpackage "$@" ;;
  esac
}

# As before, but at the cost of nothing else: what is in the way is somebody else's by then.
kxp_bring() {
  case $kxp in
    dnf) kxp_pm install --setopt=disable_excludes='*' "$@" ;;
    yum) kxp_pm install --disableexcludes=all "$@" ;;
    zypper) kxp_pm install --no-recommends --oldpackage "$@" ;;
  esac
}

kxp_remove() {
  case $kxp in
    dnf | yum) kxp_pm remove "$@" ;;
    zypper) kxp_pm remove --no-clean-deps "$@" ;;
  esac
}

# NAME.ARCH=EPOCH:VERSION-RELEASE: as the package manager wants to read it.
kxp_spec() {
  kxp_name=\${1%%=*} kxp_evr=\${1#*=}
  kxp_a=\${kxp_name##*.} kxp_name=\${kxp_name%.*}
  kxp_e=\${kxp_evr%%:*} kxp_vr=\${kxp_evr#*:}
  case $kxp in
    dnf) echo "$kxp_name-$kxp_evr.$kxp_a" ;;
    yum) echo "$kxp_e:$kxp_name-$kxp_vr.$kxp_a" ;;
    zypper) if [ "$kxp_e" = 0 ]; then echo "$kxp_name.$kxp_a=$kxp_vr"; else echo "$kxp_name.$kxp_a=$kxp_evr"; fi ;;
  esac
}

kxp_want() {
  if [ -z "$2" ]; then
    rpm -q "$1" >/dev/null 2>&1 || kxp_specs="$kxp_specs $1"
  elif [ $kxp = zypper ]; then
    kxp_specs="$kxp_specs $1=$2"
  else
    kxp_specs="$kxp_specs $1-$2" kxp_older="$kxp_older $1-$2"
  fi
}

kxp_unwanted() { ! rpm -q "$1" >/dev/null 2>&1 || kxp_off="$kxp_off $1"; }

# yum goes back to an older version only with an explicit downgrade.
kxp_go() {
  kxp_specs= kxp_off= kxp_older=
  kxp_choose
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
  for kxp_x in $kxp_older; do rpm -q "$kxp_x" >/dev/null 2>&1 || kxp_pm downgrade "$kxp_x" || return; done
}

kxp_swap() {
  kxp_keep
  if [ -n "$kxp_came" ]; then
    # Configuration that was changed is kept aside when a package goes: with the package it goes too.
    rpm -qc $kxp_came 2>/dev/null | grep '^/' >"$kxp_record/err"
    kxp_remove $kxp_came || return
    while IFS= read -r kxp_x; do [ -e "$kxp_x" ] || rm -f -- "$kxp_x.rpmsave"; done <"$kxp_record/err"
  fi
  for kxp_x in $kxp_went $kxp_changed; do
    kxp_bring "$(kxp_spec "$kxp_x")" || { [ $kxp = yum ] && kxp_pm downgrade "$(kxp_spec "$kxp_x")"; } || {
      echo "the version $kxp_x is not restored: no repository has it, or it conflicts with a package installed since"
      case " $kxp_went " in *" $kxp_x "*) kxp_bring "\${kxp_x%%=*}" || : ;; esac
    }
  done
}

# Others may have installed something that needs what came: then that stays too, and what it needs.
kxp_keep() {
  while [ -n "$kxp_came" ] && ! rpm -e --test $kxp_came 2>/dev/null; do
    kxp_full=$(rpm -q --qf '%{NAME}-%{VERSION}-%{RELEASE}.%{ARCH}\n' $kxp_came)
    kxp_rest= kxp_stays=
    for kxp_one in $kxp_came; do
      kxp_hit=
      for kxp_x in $(rpm -e --test "$kxp_one" 2>&1 | sed -n 's/.* is needed by (installed) //p'); do
        printf '%s\n' "$kxp_full" | grep -qxF -e "$kxp_x" || kxp_hit=$kxp_x
      done
      if [ -z "$kxp_hit" ]; then
        kxp_rest="$kxp_rest $kxp_one"
      else
        echo "$kxp_one stays: $kxp_hit needs it"
        kxp_stays=yes
      fi
    done
    [ -n "$kxp_stays" ] || break
    kxp_came=$kxp_rest
  done
}

kxp_files() { rpm -ql "$@"; }
kxp_configs() { rpm -qc "$1" | grep '^/'; }

kxp_mark() {
  case $kxp/$1 in
    dnf/auto) dnf -q -y mark remove $2 2>/dev/null || dnf -q -y mark dependency $2 ;;
    dnf/manual) dnf -q -y mark install $2 2>/dev/null || dnf -q -y mark user $2 ;;
    zypper/auto) for kxp_x in $2; do echo "\${kxp_x%.*}"; done >>"$kxp_auto" ;;
  esac >/dev/null 2>&1
  return 0
}
`);

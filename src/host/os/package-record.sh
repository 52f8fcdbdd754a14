# shellcheck shell=dash
# Transactions. Each is a directory with a number in the record kxp_record: what was installed before and after, which
# packages were asked for by a person, which had left their configuration, and how units were. From these the exact set that
# came and went is known, whatever the package manager has chosen, also when it was killed in between.
#
# Scripts about packages begin with kxp_prepare. All their functions then know the package manager (kxp), where transactions are noted
# (kxp_record), which one this is (kxp_n, its directory kxp_t), for how many seconds others are waited for (kxp_patience), and the
# files of the system that kxp_prepare names. What came, went and changed in a transaction is in kxp_came, kxp_went and kxp_changed.

# RECORD SECONDS ROOT: what all functions know. ROOT: for tests, the directory that stands for /.
kxp_prepare() {
  kxp_record=$1 kxp_patience=$2 kxp_refreshed=''
  kxp_policy=$3/usr/sbin/policy-rc.d kxp_dpkg=$3/var/lib/dpkg kxp_lists=$3/var/lib/apt/lists
  kxp_states=$3/var/lib/apt/extended_states kxp_etc=$3/etc kxp_auto=$3/var/lib/zypp/AutoInstalled
  mkdir -p "$kxp_record" || kxp_fail "cannot make $kxp_record"
  trap kxp_finish EXIT
  # What packages write is for everybody to read.
  umask 022
  kxp_ready
}

# The end of the script, however it came.
kxp_finish() {
  kxp_policy_off
  rm -f "$kxp_record/err" "$kxp_record/running"
  kxp_tidy
}

# Leaves no empty directory behind.
kxp_tidy() { rmdir "$kxp_record" "$KX_STATE/packages" "$KX_STATE" 2>/dev/null || :; }

# TEXT: ends the script.
kxp_fail() {
  printf '%s\n' "$1" >&2
  exit 1
}

# WORD…: "+NAME" or "+NAME=VERSION" is to be installed, "-NAME" is not. Fails, with what is missing in kxp_missing, where no source has
# a version.
kxp_choose() {
  local word='' version=''
  for word; do
    case $word in
      -*) kxp_unwanted "${word#-}" ;;
      *)
        word=${word#+}
        version=''
        case $word in *=*) version=${word#*=} ;; esac
        kxp_missing="${word%%=*}${version:+ $version}"
        kxp_want "${word%%=*}" "$version" || return
        ;;
    esac
  done
}

# WORD…: a transaction in which what kxp_choose understands is installed and removed.
kxp_transact() {
  local code=''
  kxp_begin
  kxp_go "$@"
  code=$?
  kxp_policy_off
  kxp_end
  return "$code"
}

# All that is installed, however far: NAME=VERSION, NAME with its architecture where it is not the machine's own.
kxp_list() {
  local arch=''
  if [ "$kxp" = apt ]; then
    arch=$(dpkg --print-architecture) || return
    dpkg-query -W -f='${db:Status-Abbrev} ${binary:Package}=${Version}\n' |
      sed -n 's/^.[^nc].  *//p' | sed "s/:$arch=/=/" | sort
  else
    rpm -qa --qf '%{NAME}.%{ARCH}=%{EPOCHNUM}:%{VERSION}-%{RELEASE}\n' | grep -v '^gpg-pubkey' | sort
  fi
}

# What a person has asked for, as opposed to what came along: names as kxp_list has them.
kxp_manual() {
  case $kxp in
    # What apt-mark shows, without reading all that apt knows for it.
    apt)
      kxp_list | sed 's/=.*//' | awk -v native="$(dpkg --print-architecture)" -v states="$kxp_states" '
        BEGIN {
          while ((getline line <states) > 0) {
            split(line, w, ": *")
            if (w[1] == "Package") name = w[2]
            if (w[1] == "Architecture" && w[2] != native && w[2] != "all") name = name ":" w[2]
            if (w[1] == "Auto-Installed" && w[2] == "1") auto[name]
          }
        }
        !($0 in auto)'
      ;;
    dnf) dnf -q -C repoquery --installed --userinstalled --qf '%{name}.%{arch}\n' 2>/dev/null | grep . | sort -u ;;
    zypper)
      { grep -v '^#' "$kxp_auto" 2>/dev/null || :; } >"$1/auto"
      rpm -qa --qf '%{NAME} %{NAME}.%{ARCH}\n' | awk 'NR == FNR { auto[$1]; next } !($1 in auto) { print $2 }' "$1/auto" - | sort -u
      ;;
  esac
  return 0
}

# Packages that are gone but have left their configuration.
kxp_left() {
  [ "$kxp" = apt ] || return 0
  dpkg-query -W -f='${db:Status-Abbrev} ${binary:Package}\n' | sed -n 's/^.c.  *//p' |
    sed "s/:$(dpkg --print-architecture)\$//"
}

# Versions of configuration that a package manager has laid beside the one in use.
kxp_spare() { find "$kxp_etc" \( -name '*.dpkg-dist' -o -name '*.dpkg-new' -o -name '*.rpmnew' \) 2>/dev/null || :; }

# What enables units.
kxp_links() { find "$kxp_etc/systemd" \( -type l -o -type d \) 2>/dev/null || :; }

# DIR: notes there how units are.
kxp_units() {
  [ -d /run/systemd/system ] || return 0
  systemctl list-unit-files --no-legend --no-pager | awk '{ print $1, $2 }' >"$1/units"
  systemctl list-units --all --state=active --plain --no-legend --no-pager | awk '{ print $1 }' >"$1/active"
}

# The number of the last transaction, in kxp_n.
kxp_count() {
  kxp_n=0
  while [ -d "$kxp_record/$((kxp_n + 1))" ]; do kxp_n=$((kxp_n + 1)); done
}

# DIR: what was written there is on disk.
kxp_sync() { sync -f "$1" 2>/dev/null || sync; }

# Begins a transaction: complete and on disk before anything changes. One that was cut off has ended where this one begins.
kxp_begin() {
  local new=''
  kxp_count
  new=$kxp_record/new
  rm -rf "$new"
  mkdir -p "$new" && : >"$new/units" && : >"$new/active" && kxp_units "$new" &&
    kxp_list >"$new/before" && kxp_manual "$new" >"$new/manual" && kxp_left >"$new/left" &&
    kxp_spare >"$new/spare" && kxp_links >"$new/links" ||
    kxp_fail 'cannot note what is installed'
  if [ "$kxp_n" -gt 0 ] && [ ! -e "$kxp_record/$kxp_n/after" ]; then
    cp "$new/links" "$kxp_record/$kxp_n/links.after"
    cp "$new/manual" "$kxp_record/$kxp_n/manual.after" && cp "$new/before" "$kxp_record/$kxp_n/after"
  fi
  kxp_n=$((kxp_n + 1))
  kxp_t=$kxp_record/$kxp_n
  kxp_sync "$new" && mv "$new" "$kxp_t" && kxp_sync "$kxp_record" || kxp_fail "cannot write $kxp_record"
}

# Ends it. Nothing has come of it: then there is nothing to remember.
kxp_end() {
  kxp_links >"$kxp_t/links.after"
  kxp_manual "$kxp_t" >"$kxp_t/manual.after" && kxp_list >"$kxp_t/after.new" && mv "$kxp_t/after.new" "$kxp_t/after"
  if cmp -s "$kxp_t/before" "$kxp_t/after" && cmp -s "$kxp_t/manual" "$kxp_t/manual.after"; then kxp_drop "$kxp_n"; fi
  kxp_sync "$kxp_record" 2>/dev/null
  return 0
}

# N: forgets a transaction, and leaves no empty directory behind.
kxp_drop() {
  rm -rf "${kxp_record:?}/$1" "$kxp_record/new" "$kxp_record/err" "$kxp_record/running"
  kxp_tidy
}

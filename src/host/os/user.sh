# shellcheck shell=dash
# Users and groups, by the shadow tools, which every family has.

# PROGRAM: ends the script if it is not there.
kxu_need() {
  command -v "$1" >/dev/null && return
  echo "there is no $1 on this machine: install the package shadow, passwd or shadow-utils" >&2
  exit 1
}

# A shell that lets nobody in, in kxu_shell.
kxu_nologin() {
  for kxu_shell in /usr/sbin/nologin /sbin/nologin /bin/false; do [ ! -x "$kxu_shell" ] || break; done
}

# NAME [HOME]: where the home of the user is, or would be made, in kxu_home.
kxu_home() {
  local entry=''
  kxu_home=$2
  [ -z "$kxu_home" ] || return 0
  if entry=$(getent passwd "$1"); then
    entry=${entry%:*}
    kxu_home=${entry##*:}
  else
    kxu_home=$(useradd -D 2>/dev/null | sed -n 's/^HOME=//p')
    kxu_home=${kxu_home:-/home}/$1
  fi
}

# NAME GROUP [HOME]: what `parseUser` reads. GROUP: the one that is to be its primary group.
kxu_look() {
  local entry=''
  if entry=$(getent passwd "$1"); then
    printf 'passwd %s\nprimary %s\ngroups %s\n' "$entry" "$(id -gn "$1")" "$(id -Gn "$1")"
  fi
  ! getent group "$2" >/dev/null || echo 'group yes'
  kxu_home "$1" "$3"
  [ -z "$kxu_home" ] || [ ! -e "$kxu_home" ] || echo 'home yes'
  return 0
}

# USER GROUP: the user is in the group too. Only adds: other groups belong to others.
kxu_join() {
  case " $(id -Gn "$1") " in *" $2 "*) ;; *) usermod -a -G "$2" -- "$1" ;; esac
}

# USER GROUP: the user is no longer in the group.
kxu_leave() {
  case " $(id -Gn "$1") " in *" $2 "*) gpasswd -d "$1" "$2" >/dev/null ;; esac
}

# USER: gives it another primary group. userdel takes the group with the user's name along when it is the user's own; and another
# home before that: what is in a home follows the group of its user.
kxu_leave_own() {
  local group=''
  for group in nogroup nobody daemon; do ! getent group "$group" >/dev/null || break; done
  usermod -d /nonexistent -- "$1" && usermod -g "$group" -- "$1"
}

# USER [keep]: deletes it. keep: the group with its name stays.
kxu_delete() {
  local said=''
  getent passwd "$1" >/dev/null || return 0
  [ "$2" != keep ] || kxu_leave_own "$1" || return
  said=$(userdel -- "$1" 2>&1) || {
    printf '%s\n' "$said" >&2
    return 1
  }
}

# PATH: whether it belongs to a user that is no more.
kxu_orphan() {
  local uid=''
  uid=$(stat -c %u -- "$1") && ! getent passwd "$uid" >/dev/null
}

# DIR: removes the home of a user that is no more: what came from the template and is as it was, and nothing else.
kxu_unhome() {
  [ -d "$1" ] && [ ! -L "$1" ] && kxu_orphan "$1" || return 0
  (
    cd -P -- "$1" || exit
    find . -xdev -type f -exec sh -c 'for f do if [ -f "/etc/skel/$f" ] && cmp -s -- "$f" "/etc/skel/$f"; then rm -f -- "$f"; fi; done' sh {} +
    find . -xdev -type l -exec sh -c 'for f do if [ -L "/etc/skel/$f" ] && [ "$(readlink -- "$f")" = "$(readlink -- "/etc/skel/$f")" ]; then rm -f -- "$f"; fi; done' sh {} +
    find . -xdev -depth ! -name . -type d -exec sh -c 'for f do [ ! -d "/etc/skel/$f" ] || rmdir -- "$f" 2>/dev/null; done' sh {} +
  )
  rmdir -- "$1" 2>/dev/null || kx_report left "$1 stays: what is in it was not put there by this step"
}

# NAME [HOME]: removes what was made with a user that is no more: its home, as far as nobody has put anything there, and an empty
# mailbox. userdel -r would take along what others have put there.
kxu_remove_home() {
  local mail=''
  kxu_home "$1" "$2"
  kxu_unhome "$kxu_home"
  for mail in "/var/mail/$1" "/var/spool/mail/$1"; do
    if [ -f "$mail" ] && [ ! -L "$mail" ] && [ ! -s "$mail" ] && kxu_orphan "$mail"; then rm -f -- "$mail"; fi
  done
}

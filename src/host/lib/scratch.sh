# shellcheck shell=dash
# Unfinished things in directories where others can write too. The owner of a directory can put a link in the place of any
# name in it, between two commands of ours that use that name. So there they are made in a directory of ours inside it,
# reached through open descriptors only: 7 is the directory itself, 8 ours. Nobody else can enter it, nor move it
# elsewhere, for that takes the right to write in it. The same holds for every directory on the way: from the first in which
# others can write, no link is followed.

# OWNER MODE [OWNER]: whether others than root and we can put something else in the place of an entry of such a directory. In a
# sticky one they cannot, where the entry belongs to root or to us.
kx_foreign() {
  case $1 in 0 | "$KX_UID") ;; *) return 0 ;; esac
  case $2 in *[2367] | *[2367]?) ;; *) return 1 ;; esac
  case $2:${3-} in [1357]???:0 | [1357]???:"$KX_UID") return 1 ;; esac
}

# DIR: whether nobody else can change anything on the way to it, nor in it. One fork. A link, whose mode is 777, is looked at closely.
kx_trusted() {
  local rest='' part='' x=''
  rest=$1 part=
  case $1 in /*) set -- / ;; *) return 1 ;; esac
  while [ -n "$rest" ]; do
    part=$part${rest%%/*}
    case $rest in */*) rest=${rest#*/} ;; *) rest= ;; esac
    [ -z "$part" ] || set -- "$@" "$part"
    part=$part/
  done
  x=$(stat -c '%u %a' -- "$@" 2>/dev/null) || return
  # shellcheck disable=SC2086 # several words
  set -- $x
  while [ "$#" -gt 0 ]; do
    if kx_foreign "$1" "$2" "${3-}"; then return 1; fi
    shift 2
  done
}

# DIR: opens it as 7.
kx_reach() {
  local back='' code=''
  back=$PWD
  kx_walk "$1" && command exec 7<.
  code=$?
  cd "$back" || return
  return "$code"
}

# DIR: goes there, part by part.
kx_walk() {
  local rest='' theirs='' links='' part='' x=''
  rest=$1 theirs='' links=0
  while [ -n "$rest" ]; do
    case $rest in /*) cd -P / || return ;; esac
    part=${rest%%/*}
    case $rest in */*) rest=${rest#*/} ;; *) rest= ;; esac
    case $part in '' | .) continue ;; esac
    x=$(stat -c '%u %a %d:%i' .) || return
    # shellcheck disable=SC2086 # several words
    if kx_foreign ${x% *} "$(stat -c %u -- "./$part" 2>/dev/null)"; then theirs=1; fi
    if [ -n "$theirs" ]; then
      # Its owner may exchange this part at any time: what counts is where we arrive.
      if [ "$part" != .. ] && cd -P -- "./$part" && [ "$(stat -c %d:%i ..)" = "${x##* }" ]; then continue; fi
      echo "$part on the way to $1 is a link that somebody else made, or is not a directory" >&2
      return 1
    fi
    if [ -L "./$part" ] && [ "$links" -lt 40 ]; then
      links=$((links + 1))
      x=$(readlink -- "./$part") || return
      rest=$x/$rest
    else
      cd -P -- "./$part" || return
    fi
  done
}

# PATH NAME [KEEP]: where what is to become PATH can be made, in kx_tmp, and what to call PATH then, in kx_to. NAME: what
# it is called beside PATH meanwhile, or the directory it is in. KEEP: what an earlier one has made there is still good.
kx_scratch() {
  local at='' x=''
  case $1 in */*) at=${1%/*}/ ;; *) at=./ ;; esac
  kx_scratch='' kx_tmp=$at$2 kx_to=$1
  if kx_trusted "$at"; then return 0; fi
  kx_tmp='' kx_scratch=
  kx_reach "$at" || return
  kx_scratch=/proc/self/fd/7/$2 x=1
  while [ "$x" -le 5 ]; do
    if [ -z "$3" ] || [ "$x" -gt 1 ] || [ -L "$kx_scratch" ] || [ ! -d "$kx_scratch" ]; then
      rm -rf -- "$kx_scratch" && mkdir -m 700 -- "$kx_scratch" 2>/dev/null
    fi
    if { command exec 8<"$kx_scratch/."; } 2>/dev/null && kx_scratch_is_ours; then
      if [ -n "$3" ] || [ -z "$(ls -A /proc/self/fd/8/.)" ]; then
        kx_tmp=/proc/self/fd/8/f kx_to=/proc/self/fd/7/${1##*/}
        return 0
      fi
    fi
    x=$((x + 1))
  done
  echo "somebody else takes away what is made in $at" >&2
  return 1
}

# Whether the directory 8 belongs to us alone, and is in 7: nobody has put another in its place before it was opened.
kx_scratch_is_ours() (
  # shellcheck disable=SC2046 # several words
  set -- $(stat -L -c '%u %a %d:%i' -- /proc/self/fd/8/. /proc/self/fd/8/.. /proc/self/fd/7/.)
  [ "$#" = 9 ] && [ "$1" = "$KX_UID" ] && [ "$6" = "$9" ] && case $2 in 700 | 2700) ;; *) false ;; esac
)

# It is over, however it ended.
kx_scratch_end() {
  [ -n "$kx_scratch" ] || return 0
  rm -rf -- "$kx_scratch"
  exec 7<&- 8<&-
  kx_scratch=
}

# FROM TO: a copy of it, all or nothing, over whatever is there.
kx_copy() {
  local code=''
  kx_scratch "$2" ".${2##*/}.kxnew" || return
  rm -rf -- "$kx_tmp" && cp -a -- "$1" "$kx_tmp" && kx_rename "$kx_tmp" "$kx_to"
  code=$?
  [ "$code" = 0 ] || rm -rf -- "$kx_tmp"
  kx_scratch_end
  return "$code"
}

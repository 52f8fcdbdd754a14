import { posix } from './text.ts';

/**
 * Unfinished things in directories where others can write too. Whoever owns a directory can put a link in the place of any
 * name in it, between two commands of ours that use that name. So there they are made in a directory of ours inside it,
 * reached through open descriptors only: 7 is the directory itself, 8 ours. Nobody else can enter it, nor move it
 * elsewhere, for that takes the right to write in it.
 */
export const den = posix`
# DIR: whether anybody else can write in it.
kx_shared() {
  kx_x=$(stat -L -c '%u %a' -- "$1" 2>/dev/null) || return
  case $kx_x in *[2367] | *[2367]?) return 0 ;; "$KX_UID "*) return 1 ;; esac
}

# PATH NAME [KEEP]: where what is to become PATH can be made, in kx_tmp, and what to call PATH then, in kx_to. NAME: what
# it is called beside PATH meanwhile, or the directory it is in. KEEP: what an earlier one has made there is still good.
kx_den() {
  case $1 in */*) kx_at=\${1%/*}/ ;; *) kx_at=./ ;; esac
  kx_den= kx_tmp=$kx_at$2 kx_to=$1
  kx_shared "$kx_at" || return 0
  kx_tmp= kx_den=/proc/self/fd/7/$2
  command exec 7<"$kx_at." || return
  kx_x=1
  while [ "$kx_x" -le 5 ]; do
    if [ -z "$3" ] || [ "$kx_x" -gt 1 ] || [ -L "$kx_den" ] || [ ! -d "$kx_den" ]; then
      rm -rf -- "$kx_den" && mkdir -m 700 -- "$kx_den" 2>/dev/null
    fi
    if { command exec 8<"$kx_den/."; } 2>/dev/null && kx_den_is_ours; then
      if [ -n "$3" ] || [ -z "$(ls -A /proc/self/fd/8/.)" ]; then
        kx_tmp=/proc/self/fd/8/f kx_to=/proc/self/fd/7/\${1##*/}
        return 0
      fi
    fi
    kx_x=$((kx_x + 1))
  done
  echo "somebody else takes away what is made in $kx_at" >&2
  return 1
}

# Whether the directory 8 belongs to us alone, and is in 7: nobody has put another in its place before it was opened.
kx_den_is_ours() (
  set -- $(stat -L -c '%u %a %d:%i' -- /proc/self/fd/8/. /proc/self/fd/8/.. /proc/self/fd/7/.)
  [ "$#" = 9 ] && [ "$1" = "$KX_UID" ] && [ "$6" = "$9" ] && case $2 in 700 | 2700) ;; *) false ;; esac
)

# It is over, however it ended.
kx_den_end() {
  [ -n "$kx_den" ] || return 0
  rm -rf -- "$kx_den"
  exec 7<&- 8<&-
  kx_den=
}

# FROM TO: a copy of it, all or nothing, over whatever is there.
kx_copy() {
  kx_den "$2" ".\${2##*/}.kxnew" || return
  rm -rf -- "$kx_tmp" && cp -a -- "$1" "$kx_tmp" && kx_rename "$kx_tmp" "$kx_to"
  kx_code=$?
  [ "$kx_code" = 0 ] || rm -rf -- "$kx_tmp"
  kx_den_end
  return "$kx_code"
}
`;

/**
 * Stand-ins for firewalld, ufw and systemctl, for hosts that have none of them. They keep their state below
 * /srv/kx-test/fw and print what the real ones print. Every change is one rename or one removal, as if it were done at once.
 */

/** firewall-cmd and firewall-offline-cmd: ports, rich rules and sources of zones, in two configurations. */
export const FIREWALL_CMD = String.raw`
set -e
base=/srv/kx-test/fw
conf=runtime zone=public do=
case $0 in *offline*) conf=permanent ;; *) [ -e $base/active ] || { echo "FirewallD is not running" >&2; exit 252; } ;; esac
item() { # FILE LINE
  mkdir -p "$base/$conf/$zone"; touch "$base/$conf/$zone/$1"
}
zonefile() { [ $conf = runtime ] || { mkdir -p /etc/firewalld/zones; [ ! -e "/etc/firewalld/zones/$zone.xml" ] || cp "/etc/firewalld/zones/$zone.xml" "/etc/firewalld/zones/$zone.xml.old"; echo "<zone/>" >"/etc/firewalld/zones/$zone.xml"; }; }
add() {
  item "$1"
  if grep -qxF -e "$2" "$base/$conf/$zone/$1"; then echo "Warning: ALREADY_ENABLED: $2" >&2; return; fi
  { cat "$base/$conf/$zone/$1"; printf '%s\n' "$2"; } | sort >"$base/new$$" && mv "$base/new$$" "$base/$conf/$zone/$1"; zonefile
}
del() {
  item "$1"
  grep -qxF -e "$2" "$base/$conf/$zone/$1" || { echo "Warning: NOT_ENABLED: $2" >&2; return; }
  { grep -vxF -e "$2" "$base/$conf/$zone/$1" || :; } >"$base/new$$" && mv "$base/new$$" "$base/$conf/$zone/$1"; zonefile
}
kinds=
for a do
  case $a in
    --add-*=* | --remove-*=*)
      case $kinds in '' | "${'$'}{a%%=*}") kinds=${'$'}{a%%=*} ;; *) echo "firewall-cmd: error: argument ${'$'}{a%%=*}: not allowed with argument $kinds" >&2; exit 2 ;; esac ;;
    --permanent) conf=permanent ;;
    --zone=*) zone=${'$'}{a#*=} ;;
  esac
done
row() { printf '  %s: %s\n' "$1" "$([ ! -s "$base/$conf/$zone/$1" ] || tr '\n' ' ' <"$base/$conf/$zone/$1" | sed 's/ $//')"; }
for a do
  v=${'$'}{a#*=}
  case $a in
    --get-default-zone) echo public ;;
    --list-all)
      echo "$zone (active)"
      echo '  target: default'
      row sources
      echo '  services: cockpit dhcpv6-client ssh'
      row ports
      echo '  rich rules: '
      [ ! -s "$base/$conf/$zone/rules" ] || sed 's/^/	/' "$base/$conf/$zone/rules" ;;
    --add-port=*) add ports "$v" ;;
    --remove-port=*) del ports "$v" ;;
    --add-rich-rule=*) add rules "$v" ;;
    --remove-rich-rule=*) del rules "$v" ;;
    --add-source=*) add sources "$v" ;;
    --remove-source=*) del sources "$v" ;;
    --load-zone-defaults=*) mv "/etc/firewalld/zones/$v.xml" "/etc/firewalld/zones/$v.xml.old" ;;
  esac
done
`;

/** ufw: rules in the order they were added, and whether it is enabled. */
export const UFW = `
[ "$1" != --force ] || shift
f=/srv/kx-test/fw/ufw
case $1 in
  enable | disable)
    v=no; [ "$1" = disable ] || v=yes
    sed "s/^ENABLED=.*/ENABLED=$v/" /etc/ufw/ufw.conf >/etc/ufw/.new && mv /etc/ufw/.new /etc/ufw/ufw.conf ;;
  show)
    echo "Added user rules (see 'ufw status' for running firewall):"
    if [ -s "$f" ]; then sed 's/^/ufw /' "$f"; else echo '(None)'; fi ;;
  allow)
    if grep -qxF -e "$*" "$f"; then echo "Skipping adding existing rule"; exit 0; fi
    { cat "$f"; echo "$*"; } >"$f.new" && mv "$f.new" "$f" ;;
  delete)
    shift
    if ! grep -qxF -e "$*" "$f"; then echo "Could not delete non-existent rule"; exit 0; fi
    { grep -vxF -e "$*" "$f" || :; } >"$f.new"; mv "$f.new" "$f" ;;
esac
`;

/** systemctl: firewalld is one file for running and one for enabled; other services are restarted by what lies in hooks. */
export const SYSTEMCTL = `
base=/srv/kx-test/fw
verb= now= unit=
for a do
  case $a in
    --now) now=1 ;;
    -*) ;;
    *.service) unit=$a ;;
    *) [ -n "$verb" ] || verb=$a ;;
  esac
done
case $verb:$unit in
  show:firewalld.service)
    if [ -e $base/installed ]; then echo LoadState=loaded; else echo LoadState=not-found; fi
    if [ -e $base/active ]; then echo ActiveState=active; else echo ActiveState=inactive; fi
    if [ -e $base/enabled ]; then echo UnitFileState=enabled; elif [ -e $base/installed ]; then echo UnitFileState=disabled; else echo UnitFileState=; fi ;;
  disable:firewalld.service) rm -f $base/enabled; [ -z "$now" ] || rm -f $base/active ;;
  enable:firewalld.service) touch $base/enabled ;;
  start:firewalld.service) touch $base/active ;;
  is-active:*) [ -x "/srv/kx-test/hooks/$unit" ] ;;
  restart:*) "/srv/kx-test/hooks/$unit" ;;
  *) echo "no stand-in for $*" >&2; exit 1 ;;
esac
`;

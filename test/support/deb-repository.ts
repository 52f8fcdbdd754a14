import type { RigHost } from '../rig/sshd.ts';

/** A small package for tests: with a service that only sleeps, and a configuration file. */
export interface TestPackage {
  readonly name: string;
  readonly version?: string;
  readonly depends?: string;
  /** Only one package with the same role can be installed. */
  readonly role?: string;
  /** A package that makes way for it. */
  readonly replaces?: string;
  readonly service?: boolean;
}

const POSTINST = `#!/bin/sh
set -e
while [ -e /srv/kx-test/slow ]; do sleep 0.1; done
if [ "$1" = configure ] && [ -f /lib/systemd/system/NAME.service ]; then
  deb-systemd-helper unmask NAME.service >/dev/null || true
  if deb-systemd-helper --quiet was-enabled NAME.service; then deb-systemd-helper enable NAME.service >/dev/null || true
  else deb-systemd-helper update-state NAME.service >/dev/null || true; fi
  systemctl --system daemon-reload >/dev/null || true
  deb-systemd-invoke start NAME.service >/dev/null || true
fi
`;
const PRERM = `#!/bin/sh
set -e
[ "$1" != remove ] || [ ! -f /lib/systemd/system/NAME.service ] || deb-systemd-invoke stop NAME.service >/dev/null || true
`;
const POSTRM = `#!/bin/sh
set -e
if [ "$1" = purge ]; then deb-systemd-helper purge NAME.service >/dev/null || true; fi
systemctl --system daemon-reload >/dev/null || true
`;

function control(one: TestPackage): string {
  const rivals = [one.role, one.replaces].filter((name) => name !== undefined);
  return [
    `Package: ${one.name}`,
    `Version: ${one.version ?? '1.0-1'}`,
    'Architecture: all',
    'Maintainer: Nobody <nobody@example.com>',
    'Description: for tests',
    ...(one.depends === undefined ? [] : [`Depends: ${one.depends}`]),
    ...(one.role === undefined ? [] : [`Provides: ${one.role}`]),
    ...(one.replaces === undefined ? [] : [`Replaces: ${one.replaces}`]),
    ...(rivals.length === 0 ? [] : [`Conflicts: ${rivals.join(', ')}`]),
  ].join('\n');
}

function build(one: TestPackage): string {
  const name = one.name;
  const script = (which: string, text: string): string =>
    `cat >d/DEBIAN/${which} <<'EOF'\n${text.replaceAll('NAME', name)}EOF\nchmod 755 d/DEBIAN/${which}`;
  const service = `mkdir -p d/lib/systemd/system && printf '[Service]\\nExecStart=/bin/sleep 987\\n[Install]\\nWantedBy=multi-user.target\\n' >d/lib/systemd/system/${name}.service`;
  return `rm -rf d && mkdir -p d/DEBIAN d/etc
cat >d/DEBIAN/control <<'EOF'
${control(one)}
EOF
echo /etc/${name}.conf >d/DEBIAN/conffiles
echo 'version ${one.version ?? '1.0-1'}' >d/etc/${name}.conf
${one.service === true ? `${service}\n${script('postinst', POSTINST)}\n${script('prerm', PRERM)}\n${script('postrm', POSTRM)}` : ':'}
dpkg-deb --root-owner-group -Znone -b d ${name}_${one.version ?? '1.0-1'}.deb >/dev/null`;
}

/** Lets a host know a repository of these packages, and no other. Its lists are not fetched yet. */
export async function makeDebRepository(host: RigHost, packages: readonly TestPackage[]): Promise<void> {
  await host.exec(`set -e
umask 022
mkdir -p /srv/repo /srv/kx-test && cd /srv/repo
${packages.map(build).join('\n')}
rm -rf d
for deb in *.deb; do
  dpkg-deb -f "$deb"
  printf 'Filename: ./%s\\nSize: %s\\nSHA256: %s\\n\\n' "$deb" "$(stat -c %s "$deb")" "$(sha256sum <"$deb" | cut -d' ' -f1)"
done >Packages
rm -rf /etc/apt/sources.list /etc/apt/sources.list.d/* /var/lib/apt/lists/*
mkdir -p /etc/apt/sources.list.d
echo 'deb [trusted=yes] file:/srv/repo ./' >/etc/apt/sources.list.d/kx.list
rm -f /etc/apt/apt.conf.d/*docker* /usr/sbin/policy-rc.d
echo force-unsafe-io >/etc/dpkg/dpkg.cfg.d/kx`);
}

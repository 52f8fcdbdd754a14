import { line, list, refuse, section } from './field.ts';
import { packageName, server } from './text.ts';
import { isTimeZone, suggestTimeZone } from './time-zone.ts';

const timeZone = () =>
  line().check((payload) => {
    const { value } = payload;
    if (value === '' || isTimeZone(value)) return;
    const suggestion = suggestTimeZone(value);
    if (suggestion === undefined) refuse(payload, 'KX2341', { value });
    else refuse(payload, 'KX2324', { value, suggestion });
  });

/** `spec.system`. */
export const systemSchema = section({
  ntpServers: list(server()).describe(
    'Time servers for chrony: domains, addresses, or names of hosts, which then serve the time to the others.',
  ),
  timezone: timeZone().optional().describe('Time zone of all machines, such as Asia/Shanghai. Default: left as it is.'),
  rpms: list(packageName()).describe('Packages to install beside the needed ones, on rpm systems.'),
  debs: list(packageName()).describe('Packages to install beside the needed ones, on deb systems.'),
}).describe('The operating system of all machines.');

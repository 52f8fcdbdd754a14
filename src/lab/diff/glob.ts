/**
 * A pattern as a regular expression: `*` is anything but a slash, `?` one such character, `**` anything. A path that ends in
 * `/**` means the directory too.
 */
export function globPattern(glob: string): RegExp {
  const tree = glob.endsWith('/**');
  const body = (tree ? glob.slice(0, -3) : glob).replace(/\*\*|[*?]|[.+^${}()|[\]\\]/g, (sign) => {
    if (sign === '**') return '.*';
    if (sign === '*') return '[^/]*';
    return sign === '?' ? '[^/]' : `\\${sign}`;
  });
  return new RegExp(`^${body}${tree ? '(?:/.*)?' : ''}$`, 's');
}

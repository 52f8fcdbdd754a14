/** What nothing in a machine may ask the kernel for: what the box swaps to is its own. */
export const REFUSED_CALLS = ['swapon', 'swapoff'] as const;

/** What the kernel calls things, by architecture: the one of a call, `prctl`, and the refused ones. */
const NUMBERS: Readonly<Record<string, readonly number[]>> = {
  x64: [0xc000_003e, 157, 167, 168],
  arm64: [0xc000_00b7, 167, 224, 225],
};

/**
 * Has the kernel refuse these calls from now on, and becomes the rest. In Perl, which mmdebstrap needs anyway: neither setpriv nor
 * nsenter can. The program for the kernel: another architecture's call is let through, one of ours with a refused number is not
 * permitted (1), all others are. A kernel without such filters refuses them (22, EINVAL).
 */
const REFUSE = `my ($arch, $prctl, @refused) = splice @ARGV, 0, 2 + shift;
my @steps = ([0x20, 0, 0, 4], [0x15, 0, scalar(@refused) + 1, $arch], [0x20, 0, 0, 0]);
push @steps, [0x15, @refused - $_, 0, $refused[$_]] for 0 .. $#refused;
push @steps, [0x06, 0, 0, 0x7fff0000], [0x06, 0, 0, 0x00050001];
my $program = join "", map { pack "SCCL", @$_ } @steps;
my $done = syscall $prctl, 22, 2, pack("S x![P] P", scalar @steps, $program), 0, 0;
$done == 0 or $! == 22 or die "seccomp: $!\\n";
exec { $ARGV[0] } @ARGV or die "$ARGV[0]: $!\\n";`;

/** Ahead of a command that comes from the box: it and all it starts are refused what machines are. */
export function refusingCalls(arch: string = process.arch): readonly string[] {
  const numbers = NUMBERS[arch];
  return numbers === undefined ? [] : ['perl', '-e', REFUSE, '--', ...[numbers.length - 2, ...numbers].map(String)];
}

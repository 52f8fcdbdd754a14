/** A script for a master: asks the DNS of the cluster, by way of its Service, for a name. Prints its address, or nothing. */
export const askDns = (
  name: string,
): string => `dns=$(kubectl --kubeconfig /etc/kubernetes/admin.conf -n kube-system get service kube-dns -o 'jsonpath={.spec.clusterIP}')
perl -MIO::Socket::INET -e '
  my $dns = IO::Socket::INET->new(PeerAddr => $ARGV[0], PeerPort => 53, Proto => "udp") or exit 1;
  my $name = join "", map { chr(length) . $_ } split(/\\./, $ARGV[1]), "";
  send $dns, pack("n6", 7, 256, 1, 0, 0, 0) . $name . pack("n2", 1, 1), 0;
  local $SIG{ALRM} = sub { exit };
  alarm 1; recv $dns, my $answer, 4096, 0;
  print join(".", unpack "C4", substr($answer, -4)) if unpack("x6 n", $answer) > 0' "$dns" ${name}`;

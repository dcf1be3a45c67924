# The first program of a sandbox, as src/inside.ts is in Node, for where there is a Perl:
# bridge.pl --sockets DIR --ports 3128=egress,5432=5432 --processes N -- FILE ARGS…
# Without any module, strict (which its tests add) included: PERL5LIB, which is the command's, may lead to those of
# another Perl, and each takes time. Two processes: one waits for the command, the other carries bytes until the first
# has ended.
my (undef, $sockets, undef, $ports, undef, $processes, undef, @command) = @ARGV;
my ($UNIX, $INET, $STREAM, $SOCKET, $REUSEADDR, $LINGER) = (1, 2, 1, 1, 2, 13);
my ($SETFL, $NONBLOCK, $ENOENT, $EINTR, $EAGAIN) = (4, 2048, 2, 4, 11);
my @asking = qw(TERM INT HUP);
sub fail { print STDERR "ralph sandbox: $_[0]\n"; exit $_[1] }

-d $sockets or fail("there is no folder of sockets: $sockets", 125);
my %listeners;
for (split /,/, $ports) {
  my ($port, $name, $listener) = split /=/;
  socket($listener, $INET, $STREAM, 0)
    and setsockopt($listener, $SOCKET, $REUSEADDR, pack 'l', 1)
    and bind($listener, pack 'S n C4 x8', $INET, $port, 127, 0, 0, 1)
    and listen($listener, 511)
    and fcntl($listener, $SETFL, $NONBLOCK)
    or fail("port $port cannot be listened on inside: $!", 125);
  $listeners{fileno $listener} = [$listener, "$sockets/$name.sock"];
}
# Passed on late, to a command that still runs: who ends a whole tree signals each process, and once is enough.
my ($asked, $child);
$SIG{$_} = sub { $asked = shift; alarm 1 } for @asking;
$SIG{ALRM} = sub { kill $asked, $child };
# The command first: until the network is ready, its connections wait in the kernel.
pipe(my $ended, my $alive) and defined($child = fork) or fail("no process can be started: $!", 126);
if (!$child) {
  $SIG{$_} = 'DEFAULT' for @asking, 'ALRM';
  if ($processes > 0) {
    # prlimit64(2), by the machine that this Perl is built for (e_machine in its ELF header).
    open my $own, '<', '/proc/self/exe';
    sysread $own, my $head, 20;
    my $call = $head && { 62 => 302, 183 => 261 }->{unpack 'x18 S', $head};
    my $limited = 'n=$1; shift; ulimit -u "$n" 2>/dev/null || ulimit -p "$n" 2>/dev/null; exec "$@"';
    if ($call) { syscall $call, 0, 6, my $limit = pack('Q2', $processes, $processes), 0 }
    # Shells use different options: -u in bash, zsh and busybox, -p in dash.
    else { @command = ('/bin/sh', '-c', $limited, 'sh', $processes, @command) }
  }
  exec { $command[0] } @command or fail("cannot start $command[0]: $!", $! == $ENOENT ? 127 : 126);
}
defined(my $network = fork) or fail("the network cannot be started: $!", 126);
if (!$network) {
  close $alive;
  $SIG{$_} = 'IGNORE' for @asking, 'PIPE';
  carry();
}
%listeners = ();
1 until waitpid($child, 0) == $child;
my $signal = $? & 127;
my $code = $signal ? 128 + $signal : $? >> 8;
kill 'KILL', $network;
exit $code;

# Each end of a connection by its file number: its handle, the number of the other end, bytes to write to it, and
# whether there is more to read from it. Nothing is read while the other end still has bytes to take.
sub carry {
  my %ends;
  my $drop = sub {
    my ($one, $broken) = @_;
    for my $end (delete @ends{$one, $ends{$one}{other}}) {
      # It must not look like a proper end.
      setsockopt($end->{handle}, $SOCKET, $LINGER, pack 'ii', 1, 0) if $broken;
      close $end->{handle};
    }
  };
  while (1) {
    my ($read, $write) = ('', '');
    my @reading = grep $ends{$_}{more} && $ends{$ends{$_}{other}}{bytes} eq '', keys %ends;
    # A connection takes two file numbers, of the usual 1024.
    vec($read, $_, 1) = 1 for fileno $ended, @reading, keys %ends < 900 ? keys %listeners : ();
    vec($write, $_, 1) = 1 for grep $ends{$_}{bytes} ne '', keys %ends;
    select($read, $write, undef, undef) > 0 or next;
    exit if vec($read, fileno $ended, 1);
    for (grep vec($read, $_, 1), @reading) {
      my $end = $ends{$_} or next;
      my $other = $ends{$end->{other}};
      my $count = sysread $end->{handle}, $other->{bytes}, 65536;
      if ($count) { vec($write, $end->{other}, 1) = 1 }
      elsif (!defined $count) { $drop->($_, 1) if $! != $EAGAIN && $! != $EINTR }
      elsif (!$other->{more}) { $drop->($_) }
      else { $end->{more} = 0; shutdown $other->{handle}, 1 }
    }
    for (grep vec($write, $_, 1), keys %ends) {
      my $end = $ends{$_} or next;
      my $count = syswrite $end->{handle}, $end->{bytes};
      if (defined $count) { substr $end->{bytes}, 0, $count, '' }
      elsif ($! != $EAGAIN && $! != $EINTR) { $drop->($_, 1) }
    }
    for (grep vec($read, $_, 1), keys %listeners) {
      my ($listener, $path) = @{$listeners{$_}};
      # Without a pause, a lack of file numbers would keep a processor busy.
      accept(my $inside, $listener) or select(undef, undef, undef, 0.05), next;
      socket(my $outside, $UNIX, $STREAM, 0) or next;
      my ($one, $two) = (fileno $inside, fileno $outside);
      $ends{$one} = { handle => $inside, other => $two, bytes => '', more => 1 };
      $ends{$two} = { handle => $outside, other => $one, bytes => '', more => 1 };
      $drop->($one, 1), next if !connect($outside, pack 'S a108', $UNIX, $path);
      fcntl($_, $SETFL, $NONBLOCK) for $inside, $outside;
    }
  }
}

/*
 * Two programs that run at the start and end of every system call and do nothing. They show the cost of a tool that
 * does nothing.
 */
char LICENSE[] __attribute__((section("license"), used)) = "Dual MIT/GPL";

__attribute__((section("tp_btf/sys_enter"), used)) int empty_start(void *context)
{
	return 0;
}

__attribute__((section("tp_btf/sys_exit"), used)) int empty_end(void *context)
{
	return 0;
}

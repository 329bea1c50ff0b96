/*
 * Two programs that do nothing at the start and end of every system call: what is left of a tool's cost when the tool does nothing.
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

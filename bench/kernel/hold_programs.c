/* Loads and attaches the BPF programs of an object file (the argument), until a signal ends this process. */
#include <bpf/libbpf.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct bpf_object *object = argc == 2 ? bpf_object__open(argv[1]) : NULL;
	struct bpf_program *program;
	if (object == NULL || bpf_object__load(object) != 0) {
		fprintf(stderr, "usage: hold_programs OBJECT, as root\n");
		return 1;
	}
	bpf_object__for_each_program(program, object)
	{
		if (bpf_program__attach(program) == NULL)
			return 1;
	}
	pause();
}

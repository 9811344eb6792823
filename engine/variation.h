// Why: offspring come from two parents by crossover and mutation; whole words at a time, and one
// random number per change rather than per gene.
#pragma once

#include "base/random.h"
#include "engine/problem.h"
#include "engine/search_options.h"

namespace paretrain::engine {

// Random genome, every gene uniform over its range.
void randomize(const GenomeLayout& layout, GenomeRow genome, RandomStream& random);

// child becomes a mixture of a and b. Bits and integers: the genes between two cuts (OnePoint:
// after one cut; Uniform: each with probability one half) come from b, the others from a. Reals:
// one of the two children of simulated binary crossover. Source: SBX with bounds, Deb, Agrawal,
// Complex Systems 9(2), 1995, as in Deb's NSGA-II code.
struct Parents {
  GenomeView a;
  GenomeView b;
};

// With probability crossover_probability; otherwise child becomes a.
void crossover(const GenomeLayout& layout,
               const VariationOptions& options,
               const Parents& parents,
               GenomeRow child,
               RandomStream& random);

// Every gene changes with probability mutated_genes / genes: bits flip, integers move to another
// value of their range (half of the time to a neighbour), reals by polynomial mutation. Instead,
// with probability run_mutation a run of bits changes (bit_runs.h), unless there are fewer than two
// bits or mutated_genes is 0.
// Source: geometric distances between changed genes, Knuth, TAOCP vol. 2, 3.4.1; polynomial
// mutation with bounds, Deb, Goyal, CSI 26(4), 1996.
void mutate(const GenomeLayout& layout,
            const VariationOptions& options,
            GenomeRow genome,
            RandomStream& random);

// Changes exactly the gene `gene` (bits first, then integers, then reals) as mutation does.
void change_gene(const GenomeLayout& layout,
                 double mutation_index,
                 GenomeRow genome,
                 std::size_t gene,
                 RandomStream& random);

}  // namespace paretrain::engine

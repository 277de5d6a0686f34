// linear-algebra: problems of MathNet.Numerics, one after another: many small matrices multiplied and inverted, products and decompositions of larger ones,
// and sparse systems solved step by step.
//
// It stresses arrays of numbers that are never looked into: objects of three parts (matrix, storage, array) that die at once, vectors made anew by every operator,
// arrays of about 100 KB, which are large objects, and the delegates that go with each call. A lane keeps its last decompositions.
//
// One operation is one problem. Every problem is made backwards from whole numbers, so it is known what must come out: matrices and right sides are exact, and a
// result in floating point must lie next to the whole number that it stands for. The checksum takes the whole numbers. So it depends neither on the order of additions
// nor on the machine.

using MathNet.Numerics;
using MathNet.Numerics.LinearAlgebra;
using MathNet.Numerics.LinearAlgebra.Double.Solvers;
using MathNet.Numerics.LinearAlgebra.Factorization;
using MathNet.Numerics.LinearAlgebra.Solvers;

namespace Garner.Bench;

internal sealed class LinearAlgebra : Workload
{
    public override string Name => "linear-algebra";

    public override string Stresses => "arrays of numbers, small ones that die at once and large objects, vectors made anew by every operator, kept decompositions";

    public override Parameter[] Parameters =>
    [
        new("problems", 5000, LaneCount, 1_000_000_000, "problems in all"),
        new("order", 112, 4, 2000, "rows and columns of the larger matrices"),
        new("batch", 200, 1, 1_000_000, "small matrices of a problem that is made of those"),
        new("grid", 40, 2, 2000, "side of the square grid behind a sparse system"),
        new("kept", 4, 1, 1_000_000, "decompositions a lane keeps"),
        Parameter.Threads(2),
        Parameter.Seed,
    ];

    public override Outcome Run(Parameters parameters)
    {
        // `threads` says how many there are; and no provider of this machine's, whatever its environment names.
        Control.UseManaged();
        Control.UseSingleThread();
        return RunLanes(parameters.Threads, parameters.Long("problems"),
            lane => new Lane(new Prng(parameters.Seed, (ulong)lane), lane, parameters.Int("order"), parameters.Int("batch"), parameters.Int("grid"), parameters.Int("kept")));
    }

    // A matrix, what solves systems with it, and one of those: matrix * solution == right.
    private sealed record Solved(Matrix<double> Matrix, ISolver<double> Solver, Vector<double> Solution, Vector<double> Right);

    private sealed class Lane(Prng prng, int lane, int order, int batch, int grid, int kept) : ILane
    {
        private const int Largest = 9;
        private static readonly MatrixBuilder<double> Matrices = Matrix<double>.Build;
        private static readonly VectorBuilder<double> Vectors = Vector<double>.Build;
        private readonly Queue<Solved> last = new();
        private Prng prng = prng;
        private Digest digest;
        private int number = lane; // lanes begin with different problems, so that threads do not all do the same

        public void Step()
        {
            switch (number % 4)
            {
                case 0: Batch(); break;
                case 1: Product(); break;
                case 2: Decompose(number / 4 % 5); break;
                default: Sparse(number / 4 % 2 == 0); break;
            }
            number++;
        }

        public ulong Verify()
        {
            while (last.Count > 0) Release();
            return digest.Value;
        }

        private int Entry() => prng.Between(-Largest, Largest);

        private Vector<double> WholeVector(int count) => Vectors.Dense(count, _ => Entry());

        private Matrix<double> WholeMatrix(int rows) => Matrices.Dense(rows, rows, (_, _) => Entry());

        // The whole number that a result stands for.
        private static long Whole(double value)
        {
            double whole = Math.Round(value);
            Check.That(Math.Abs(value - whole) <= 1e-5 * Math.Max(1, Math.Abs(whole)), "a result is not near a whole number");
            return (long)whole;
        }

        private void AddWhole(Vector<double> values)
        {
            foreach (double value in values) digest.Add(Whole(value));
        }

        private void Expect(Vector<double> found, Vector<double> expected)
        {
            for (int i = 0; i < expected.Count; i++) Check.That(Whole(found[i]) == (long)expected[i], "a system has another solution than it was made from");
            AddWhole(found);
        }

        // A vector through many small matrices with determinant 1, whose inverses are of whole numbers too.
        private void Batch()
        {
            for (int rows = 3; rows <= 8; rows++)
            {
                Vector<double> state = WholeVector(rows);
                for (int i = 0; i < batch / 6 + 1; i++)
                {
                    Matrix<double> lower = Matrices.Dense(rows, rows, (r, c) => r == c ? 1 : r > c ? prng.Between(-1, 1) : 0);
                    Matrix<double> upper = Matrices.Dense(rows, rows, (r, c) => r == c ? 1 : r < c ? prng.Between(-1, 1) : 0);
                    Matrix<double> there = lower * upper, back = there.Inverse();
                    Vector<double> moved = there * state;
                    Check.That((back * moved - state).AbsoluteMaximum() < 0.01, "an inverse does not lead back");
                    digest.Add(Whole(back.Trace()));
                    state = moved.Map(value => value % 997);
                }
                AddWhole(state);
            }
        }

        private void Product()
        {
            Matrix<double> a = WholeMatrix(order), b = WholeMatrix(order);
            Matrix<double> product = a * b + (a - b.Transpose()).PointwiseMultiply(b);
            Vector<double> probe = WholeVector(order), difference = product * probe - a * (b * probe) - (a - b.Transpose()).PointwiseMultiply(b) * probe;
            Check.That(difference.AbsoluteMaximum() == 0, "a product is not that of its factors");
            AddWhole(product.RowSums());
            AddWhole(product.ColumnSums());
        }

        private void Decompose(int kind)
        {
            if (kind == 4)
            {
                Eigenvalues();
                return;
            }
            // A singular value decomposition takes many times as long as the others.
            Matrix<double> matrix = Regular(kind == 3 ? Math.Max(2, order / 2) : order);
            if (kind == 2) matrix = matrix.TransposeAndMultiply(matrix);
            ISolver<double> solver = kind switch { 0 => matrix.LU(), 1 => matrix.QR(), 2 => matrix.Cholesky(), _ => matrix.Svd() };
            Vector<double> solution = WholeVector(matrix.RowCount), right = matrix * solution;
            Expect(solver.Solve(right), solution);
            last.Enqueue(new Solved(matrix, solver, solution, right));
            if (last.Count > kept) Release();
        }

        // Random, with one entry of every row and column so large that no other matters much: far from singular, but its rows are in no order.
        private Matrix<double> Regular(int rows)
        {
            int[] place = [.. Enumerable.Range(0, rows)];
            for (int i = rows - 1; i > 0; i--)
            {
                int other = prng.Below(i + 1);
                (place[i], place[other]) = (place[other], place[i]);
            }
            double heavy = 2 * Largest * Math.Ceiling(Math.Sqrt(rows));
            return Matrices.Dense(rows, rows, (r, c) => Entry() + (place[r] == c ? heavy : 0));
        }

        // Their sum is the trace and the sum of their squares that of all entries.
        private void Eigenvalues()
        {
            Matrix<double> half = WholeMatrix(Math.Max(2, order / 2)), matrix = half + half.Transpose();
            Evd<double> evd = matrix.Evd(Symmetricity.Symmetric);
            Vector<double> values = evd.EigenValues.Real();
            Check.That(Whole(values.Sum()) == (long)matrix.Trace(), "eigenvalues do not have the sum they must have");
            Check.That(Whole(values * values) == (long)matrix.Enumerate().Sum(entry => entry * entry), "eigenvalues do not have the squares they must have");
            Check.That((matrix * evd.EigenVectors - evd.EigenVectors * evd.D).Enumerate().All(entry => Math.Abs(entry) < 1e-6), "an eigenvector is none");
            digest.Add(Whole(values.Sum()));
            digest.Add(Whole(values * values));
        }

        // Springs of different strength between the neighbours on a grid, each point held by a weak one.
        private void Sparse(bool own)
        {
            int count = grid * grid;
            double[] held = new double[count];
            List<(int, int, double)> entries = [];
            void Spring(int one, int other)
            {
                int strength = prng.Between(1, Largest);
                entries.Add((one, other, -strength));
                entries.Add((other, one, -strength));
                held[one] += strength;
                held[other] += strength;
            }
            for (int at = 0; at < count; at++)
            {
                held[at]++;
                if (at % grid > 0) Spring(at, at - 1);
                if (at >= grid) Spring(at, at - grid);
            }
            for (int at = 0; at < count; at++) entries.Add((at, at, held[at]));
            Matrix<double> matrix = Matrices.SparseOfIndexed(count, count, entries);
            Vector<double> solution = WholeVector(count), right = matrix * solution;
            Expect(own ? ByGradients(matrix, right) : ByLibrary(matrix, right), solution);
        }

        // Conjugate gradients, written down as the textbook has them: every line makes vectors.
        private static Vector<double> ByGradients(Matrix<double> matrix, Vector<double> right)
        {
            Vector<double> found = Vectors.Dense(right.Count), rest = right, direction = right;
            double square = rest * rest;
            for (int step = 0; step < 2000 && square > 1e-20; step++)
            {
                Vector<double> image = matrix * direction;
                double length = square / (direction * image);
                found += length * direction;
                rest -= length * image;
                double next = rest * rest;
                direction = rest + next / square * direction;
                square = next;
            }
            return found;
        }

        private static Vector<double> ByLibrary(Matrix<double> matrix, Vector<double> right)
        {
            Iterator<double> stop = new(new IterationCountStopCriterion<double>(2000), new ResidualStopCriterion<double>(1e-12));
            return matrix.SolveIterative(right, new BiCgStab(), stop, new DiagonalPreconditioner());
        }

        private void Release()
        {
            Solved oldest = last.Dequeue();
            Check.That((oldest.Matrix * oldest.Solution - oldest.Right).AbsoluteMaximum() == 0, "a kept matrix has changed");
            Expect(oldest.Solver.Solve(oldest.Right), oldest.Solution);
        }
    }
}
